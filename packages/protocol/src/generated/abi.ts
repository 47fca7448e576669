//////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////
// AccountConfig
//////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////

export const accountConfigAbi = [
  {
    type: 'function',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'acceptAccount',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [],
    name: 'acceptOwnership',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [],
    name: 'accountCount',
    outputs: [{ name: '', internalType: 'uint256', type: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'accountExistsAndIsMutable',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [{ name: 'hash', internalType: 'uint256', type: 'uint256' }],
    name: 'accountState',
    outputs: [
      {
        name: '',
        internalType: 'struct IViewsFacet.AccountState',
        type: 'tuple',
        components: [
          {
            name: 'state',
            internalType: 'enum IViewsFacet.HashState',
            type: 'uint8',
          },
          {
            name: 'masterApiKeyHash',
            internalType: 'uint256',
            type: 'uint256',
          },
          {
            name: 'adminWalletAddress',
            internalType: 'address',
            type: 'address',
          },
          { name: 'managed', internalType: 'bool', type: 'bool' },
          { name: 'accepted', internalType: 'bool', type: 'bool' },
          { name: 'giver', internalType: 'address', type: 'address' },
          { name: 'rotated', internalType: 'bool', type: 'bool' },
          { name: 'frozen', internalType: 'bool', type: 'bool' },
          { name: 'expiration', internalType: 'uint256', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
      { name: 'actionHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'addAction',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'actionHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'addActionToGroup',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
      { name: 'cidHashes', internalType: 'uint256[]', type: 'uint256[]' },
      { name: 'pkpIds', internalType: 'address[]', type: 'address[]' },
    ],
    name: 'addGroup',
    outputs: [{ name: 'groupId', internalType: 'uint256', type: 'uint256' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
    ],
    name: 'addPkpToGroup',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'cidHashes', internalType: 'uint256[]', type: 'uint256[]' },
      { name: 'pkpIds', internalType: 'address[]', type: 'address[]' },
    ],
    name: 'addToGroup',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [],
    name: 'adminApiPayerAccount',
    outputs: [{ name: '', internalType: 'address', type: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [{ name: 'hash', internalType: 'uint256', type: 'uint256' }],
    name: 'allApiKeyHashesToMaster',
    outputs: [{ name: '', internalType: 'uint256', type: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'api_payers',
    outputs: [{ name: '', internalType: 'address[]', type: 'address[]' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'cidHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'canExecuteAction',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'cidHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
    ],
    name: 'canExecuteActionAndUseWallet',
    outputs: [
      { name: 'canExecute', internalType: 'bool', type: 'bool' },
      { name: 'canUseWallet', internalType: 'bool', type: 'bool' },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'cidHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
    ],
    name: 'canUseWalletInAction',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'cancelledNonce', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'cancelNonce',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'cancelTransfer',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [],
    name: 'configOperator',
    outputs: [{ name: '', internalType: 'address', type: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'consentRequired',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'conversionLimit',
    outputs: [{ name: 'perDay', internalType: 'uint256', type: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [{ name: 'caller', internalType: 'address', type: 'address' }],
    name: 'conversionsToday',
    outputs: [{ name: '', internalType: 'uint256', type: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      {
        name: 'newAdminWalletAddress',
        internalType: 'address',
        type: 'address',
      },
    ],
    name: 'convertToChainSecuredAccount',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      {
        name: 'newAdminWalletAddress',
        internalType: 'address',
        type: 'address',
      },
      { name: 'deadline', internalType: 'uint256', type: 'uint256' },
      { name: 'consent', internalType: 'bytes', type: 'bytes' },
    ],
    name: 'convertWithConsent',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      {
        name: 'cuts',
        internalType: 'struct IDiamond.FacetCut[]',
        type: 'tuple[]',
        components: [
          { name: 'facetAddress', internalType: 'address', type: 'address' },
          {
            name: 'action',
            internalType: 'enum IDiamond.FacetCutAction',
            type: 'uint8',
          },
          {
            name: 'functionSelectors',
            internalType: 'bytes4[]',
            type: 'bytes4[]',
          },
        ],
      },
      { name: 'init', internalType: 'address', type: 'address' },
      { name: 'initCalldata', internalType: 'bytes', type: 'bytes' },
    ],
    name: 'diamondCut',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [],
    name: 'eip712Domain',
    outputs: [
      { name: 'fields', internalType: 'bytes1', type: 'bytes1' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'version', internalType: 'string', type: 'string' },
      { name: 'chainId', internalType: 'uint256', type: 'uint256' },
      { name: 'verifyingContract', internalType: 'address', type: 'address' },
      { name: 'salt', internalType: 'bytes32', type: 'bytes32' },
      { name: 'extensions', internalType: 'uint256[]', type: 'uint256[]' },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'signer', internalType: 'address', type: 'address' },
      { name: 'calls', internalType: 'bytes[]', type: 'bytes[]' },
      { name: 'nonce', internalType: 'uint256', type: 'uint256' },
      { name: 'deadline', internalType: 'uint256', type: 'uint256' },
      { name: 'signature', internalType: 'bytes', type: 'bytes' },
    ],
    name: 'executeSigned',
    outputs: [{ name: 'results', internalType: 'bytes[]', type: 'bytes[]' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'cidHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
    ],
    name: 'explainExecution',
    outputs: [
      {
        name: '',
        internalType: 'struct IViewsFacet.Explanation',
        type: 'tuple',
        components: [
          { name: 'canExecute', internalType: 'bool', type: 'bool' },
          {
            name: 'actionRule',
            internalType: 'enum IViewsFacet.ExecutionRule',
            type: 'uint8',
          },
          { name: 'actionGroupId', internalType: 'uint256', type: 'uint256' },
          { name: 'canUseWallet', internalType: 'bool', type: 'bool' },
          {
            name: 'walletRule',
            internalType: 'enum IViewsFacet.ExecutionRule',
            type: 'uint8',
          },
          { name: 'walletGroupId', internalType: 'uint256', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [{ name: 'selector', internalType: 'bytes4', type: 'bytes4' }],
    name: 'facetAddress',
    outputs: [{ name: '', internalType: 'address', type: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'facetAddresses',
    outputs: [{ name: '', internalType: 'address[]', type: 'address[]' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [{ name: 'facet', internalType: 'address', type: 'address' }],
    name: 'facetFunctionSelectors',
    outputs: [{ name: '', internalType: 'bytes4[]', type: 'bytes4[]' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'facets',
    outputs: [
      {
        name: '',
        internalType: 'struct IDiamond.Facet[]',
        type: 'tuple[]',
        components: [
          { name: 'facetAddress', internalType: 'address', type: 'address' },
          {
            name: 'functionSelectors',
            internalType: 'bytes4[]',
            type: 'bytes4[]',
          },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'freezePayers',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'getAccountWalletAddress',
    outputs: [{ name: '', internalType: 'address', type: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'derivationPath', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'getPathOwnerMaster',
    outputs: [{ name: '', internalType: 'uint256', type: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'pricingItemId', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'getPricing',
    outputs: [{ name: '', internalType: 'uint256', type: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
    ],
    name: 'getWalletDerivation',
    outputs: [{ name: '', internalType: 'uint256', type: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'guardian',
    outputs: [{ name: '', internalType: 'address', type: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'signer', internalType: 'address', type: 'address' },
      { name: 'calls', internalType: 'bytes[]', type: 'bytes[]' },
      { name: 'nonce', internalType: 'uint256', type: 'uint256' },
      { name: 'deadline', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'hashSignedWrites',
    outputs: [{ name: 'digest', internalType: 'bytes32', type: 'bytes32' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'nonce', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'isNonceUsed',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'derivationPath', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'isPathRegistered',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'digest', internalType: 'bytes32', type: 'bytes32' },
      { name: 'signature', internalType: 'bytes', type: 'bytes' },
    ],
    name: 'isValidAccountSignature',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'wallet', internalType: 'address', type: 'address' },
      { name: 'digest', internalType: 'bytes32', type: 'bytes32' },
      { name: 'signature', internalType: 'bytes', type: 'bytes' },
    ],
    name: 'isValidWalletSignature',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pageNumber', internalType: 'uint256', type: 'uint256' },
      { name: 'pageSize', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'listActions',
    outputs: [
      { name: 'actionHashes', internalType: 'uint256[]', type: 'uint256[]' },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'pageNumber', internalType: 'uint256', type: 'uint256' },
      { name: 'pageSize', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'listActionsInGroup',
    outputs: [
      { name: 'actionHashes', internalType: 'uint256[]', type: 'uint256[]' },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pageNumber', internalType: 'uint256', type: 'uint256' },
      { name: 'pageSize', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'listApiKeys',
    outputs: [
      {
        name: '',
        internalType: 'struct IViewsFacet.UsageApiKey[]',
        type: 'tuple[]',
        components: [
          { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
          { name: 'expiration', internalType: 'uint256', type: 'uint256' },
          {
            name: 'permissions',
            internalType: 'struct IUsageKeyWrites.UsageApiKeyPermissions',
            type: 'tuple',
            components: [
              { name: 'createGroups', internalType: 'bool', type: 'bool' },
              { name: 'deleteGroups', internalType: 'bool', type: 'bool' },
              { name: 'createPKPs', internalType: 'bool', type: 'bool' },
              {
                name: 'manageIPFSIdsInGroups',
                internalType: 'uint256[]',
                type: 'uint256[]',
              },
              {
                name: 'addPkpToGroups',
                internalType: 'uint256[]',
                type: 'uint256[]',
              },
              {
                name: 'removePkpFromGroups',
                internalType: 'uint256[]',
                type: 'uint256[]',
              },
              {
                name: 'executeInGroups',
                internalType: 'uint256[]',
                type: 'uint256[]',
              },
            ],
          },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'listGroupContents',
    outputs: [
      { name: 'cidHashes', internalType: 'uint256[]', type: 'uint256[]' },
      { name: 'pkpIds', internalType: 'address[]', type: 'address[]' },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pageNumber', internalType: 'uint256', type: 'uint256' },
      { name: 'pageSize', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'listGroups',
    outputs: [
      { name: 'groupIds', internalType: 'uint256[]', type: 'uint256[]' },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pageNumber', internalType: 'uint256', type: 'uint256' },
      { name: 'pageSize', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'listPkps',
    outputs: [
      {
        name: '',
        internalType: 'struct IViewsFacet.Pkp[]',
        type: 'tuple[]',
        components: [
          { name: 'pkpId', internalType: 'address', type: 'address' },
          { name: 'derivationPath', internalType: 'uint256', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'listSizes',
    outputs: [
      { name: 'apiKeys', internalType: 'uint256', type: 'uint256' },
      { name: 'groups', internalType: 'uint256', type: 'uint256' },
      { name: 'pkps', internalType: 'uint256', type: 'uint256' },
      { name: 'actions', internalType: 'uint256', type: 'uint256' },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'pageNumber', internalType: 'uint256', type: 'uint256' },
      { name: 'pageSize', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'listWalletsInGroup',
    outputs: [
      {
        name: '',
        internalType: 'struct IViewsFacet.Pkp[]',
        type: 'tuple[]',
        components: [
          { name: 'pkpId', internalType: 'address', type: 'address' },
          { name: 'derivationPath', internalType: 'uint256', type: 'uint256' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [{ name: 'calls', internalType: 'bytes[]', type: 'bytes[]' }],
    name: 'multicall',
    outputs: [{ name: 'results', internalType: 'bytes[]', type: 'bytes[]' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'managed', internalType: 'bool', type: 'bool' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
      { name: 'adminWalletAddress', internalType: 'address', type: 'address' },
    ],
    name: 'newAccount',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
    ],
    name: 'newChainSecuredAccount',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [{ name: 'key', internalType: 'string', type: 'string' }],
    name: 'nodeConfigurationValue',
    outputs: [{ name: '', internalType: 'string', type: 'string' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'nodeConfigurationValues',
    outputs: [
      {
        name: '',
        internalType: 'struct IConfigFacet.NodeConfiguration[]',
        type: 'tuple[]',
        components: [
          { name: 'key', internalType: 'string', type: 'string' },
          { name: 'value', internalType: 'string', type: 'string' },
        ],
      },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'owner',
    outputs: [{ name: '', internalType: 'address', type: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'payersFrozen',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'pendingOwner',
    outputs: [{ name: '', internalType: 'address', type: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'pkpCount',
    outputs: [{ name: '', internalType: 'uint256', type: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [],
    name: 'pricingOperator',
    outputs: [{ name: '', internalType: 'address', type: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
      { name: 'derivationPath', internalType: 'uint256', type: 'uint256' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
    ],
    name: 'registerWalletDerivation',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'actionHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'removeAction',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'actionHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'removeActionFromGroup',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'accountApiKeyHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'removeAllUsageApiKeys',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'cidHashes', internalType: 'uint256[]', type: 'uint256[]' },
      { name: 'pkpIds', internalType: 'address[]', type: 'address[]' },
    ],
    name: 'removeFromGroup',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'removeGroup',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
    ],
    name: 'removePkpFromGroup',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'accountApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'removeUsageApiKey',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
    ],
    name: 'removeWalletDerivation',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [{ name: 'hash', internalType: 'uint256', type: 'uint256' }],
    name: 'resolve',
    outputs: [
      { name: 'masterApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'adminWalletAddress', internalType: 'address', type: 'address' },
      { name: 'managed', internalType: 'bool', type: 'bool' },
      { name: 'isUsageKey', internalType: 'bool', type: 'bool' },
      { name: 'expiration', internalType: 'uint256', type: 'uint256' },
    ],
    stateMutability: 'view',
  },
  {
    type: 'function',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'retireAccount',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'deadline', internalType: 'uint256', type: 'uint256' },
      { name: 'consent', internalType: 'bytes', type: 'bytes' },
    ],
    name: 'retireManagedAccount',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'newApiKeyHash', internalType: 'uint256', type: 'uint256' },
      {
        name: 'newAdminWalletAddress',
        internalType: 'address',
        type: 'address',
      },
      { name: 'deadline', internalType: 'uint256', type: 'uint256' },
      { name: 'consent', internalType: 'bytes', type: 'bytes' },
    ],
    name: 'rotateAccountKey',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'accountApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'newUsageApiKeyHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'rotateUsageApiKey',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      {
        name: 'newAdminApiPayerAccount',
        internalType: 'address',
        type: 'address',
      },
    ],
    name: 'setAdminApiPayerAccount',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'newApiPayers', internalType: 'address[]', type: 'address[]' },
    ],
    name: 'setApiPayers',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'newConfigOperator', internalType: 'address', type: 'address' },
    ],
    name: 'setConfigOperator',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [{ name: 'required', internalType: 'bool', type: 'bool' }],
    name: 'setConsentRequired',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [{ name: 'perDay', internalType: 'uint256', type: 'uint256' }],
    name: 'setConversionLimit',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [{ name: 'newGuardian', internalType: 'address', type: 'address' }],
    name: 'setGuardian',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'key', internalType: 'string', type: 'string' },
      { name: 'value', internalType: 'string', type: 'string' },
    ],
    name: 'setNodeConfiguration',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'pricingItemId', internalType: 'uint256', type: 'uint256' },
      { name: 'price', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'setPricing',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'newPricingOperator', internalType: 'address', type: 'address' },
    ],
    name: 'setPricingOperator',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'accountApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'expiration', internalType: 'uint256', type: 'uint256' },
      { name: 'balance', internalType: 'uint256', type: 'uint256' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
      { name: 'createGroups', internalType: 'bool', type: 'bool' },
      { name: 'deleteGroups', internalType: 'bool', type: 'bool' },
      { name: 'createPKPs', internalType: 'bool', type: 'bool' },
      {
        name: 'manageIPFSIdsInGroups',
        internalType: 'uint256[]',
        type: 'uint256[]',
      },
      { name: 'addPkpToGroups', internalType: 'uint256[]', type: 'uint256[]' },
      {
        name: 'removePkpFromGroups',
        internalType: 'uint256[]',
        type: 'uint256[]',
      },
      { name: 'executeInGroups', internalType: 'uint256[]', type: 'uint256[]' },
    ],
    name: 'setUsageApiKey',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'accountApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'expiration', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'setUsageApiKeyExpiration',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [{ name: 'interfaceId', internalType: 'bytes4', type: 'bytes4' }],
    name: 'supportsInterface',
    outputs: [{ name: '', internalType: 'bool', type: 'bool' }],
    stateMutability: 'pure',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      {
        name: 'newAdminWalletAddress',
        internalType: 'address',
        type: 'address',
      },
    ],
    name: 'transferChainSecuredAccountOwnership',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [{ name: 'newOwner', internalType: 'address', type: 'address' }],
    name: 'transferOwnership',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [],
    name: 'unfreezePayers',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'actionHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
    ],
    name: 'updateActionMetadata',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
      { name: 'cidHashes', internalType: 'uint256[]', type: 'uint256[]' },
      { name: 'pkpIds', internalType: 'address[]', type: 'address[]' },
    ],
    name: 'updateGroup',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
    ],
    name: 'updateGroupMetadata',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    inputs: [
      { name: 'accountApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'name', internalType: 'string', type: 'string' },
      { name: 'description', internalType: 'string', type: 'string' },
    ],
    name: 'updateUsageApiKeyMetadata',
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'adminWalletAddress',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      {
        name: 'namedByIdentity',
        internalType: 'bool',
        type: 'bool',
        indexed: false,
      },
    ],
    name: 'AccountAccepted',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'previousAdminWalletAddress',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      {
        name: 'newAdminWalletAddress',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'AccountConvertedToChainSecured',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'adminWalletAddress',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      { name: 'managed', internalType: 'bool', type: 'bool', indexed: false },
      { name: 'name', internalType: 'string', type: 'string', indexed: false },
      {
        name: 'description',
        internalType: 'string',
        type: 'string',
        indexed: false,
      },
    ],
    name: 'AccountCreated',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'wallet',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'AccountEvicted',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'apiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'newApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'newAdminWalletAddress',
        internalType: 'address',
        type: 'address',
        indexed: false,
      },
    ],
    name: 'AccountKeyRotated',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
    ],
    name: 'AccountRetired',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'previousAdminWalletAddress',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      {
        name: 'newAdminWalletAddress',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'AccountTransferCancelled',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'actionHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      { name: 'name', internalType: 'string', type: 'string', indexed: false },
      {
        name: 'description',
        internalType: 'string',
        type: 'string',
        indexed: false,
      },
    ],
    name: 'ActionAdded',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'groupId',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'actionHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
    ],
    name: 'ActionAddedToGroup',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'actionHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      { name: 'name', internalType: 'string', type: 'string', indexed: false },
      {
        name: 'description',
        internalType: 'string',
        type: 'string',
        indexed: false,
      },
    ],
    name: 'ActionMetadataUpdated',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'actionHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
    ],
    name: 'ActionRemoved',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'groupId',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'actionHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
    ],
    name: 'ActionRemovedFromGroup',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'adminApiPayerAccount',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'AdminApiPayerAccountSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
    ],
    name: 'AllUsageApiKeysRemoved',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'apiPayers',
        internalType: 'address[]',
        type: 'address[]',
        indexed: false,
      },
    ],
    name: 'ApiPayersSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'previousAdminWalletAddress',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      {
        name: 'newAdminWalletAddress',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'ChainSecuredAccountOwnershipTransferred',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'configOperator',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'ConfigOperatorSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      { name: 'required', internalType: 'bool', type: 'bool', indexed: false },
    ],
    name: 'ConsentRequiredSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'perDay',
        internalType: 'uint256',
        type: 'uint256',
        indexed: false,
      },
    ],
    name: 'ConversionLimitSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'diamondCut',
        internalType: 'struct IDiamond.FacetCut[]',
        type: 'tuple[]',
        components: [
          { name: 'facetAddress', internalType: 'address', type: 'address' },
          {
            name: 'action',
            internalType: 'enum IDiamond.FacetCutAction',
            type: 'uint8',
          },
          {
            name: 'functionSelectors',
            internalType: 'bytes4[]',
            type: 'bytes4[]',
          },
        ],
        indexed: false,
      },
      {
        name: 'init',
        internalType: 'address',
        type: 'address',
        indexed: false,
      },
      {
        name: 'initCalldata',
        internalType: 'bytes',
        type: 'bytes',
        indexed: false,
      },
    ],
    name: 'DiamondCut',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'groupId',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      { name: 'name', internalType: 'string', type: 'string', indexed: false },
      {
        name: 'description',
        internalType: 'string',
        type: 'string',
        indexed: false,
      },
      {
        name: 'cidHashes',
        internalType: 'uint256[]',
        type: 'uint256[]',
        indexed: false,
      },
      {
        name: 'pkpIds',
        internalType: 'address[]',
        type: 'address[]',
        indexed: false,
      },
    ],
    name: 'GroupAdded',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'groupId',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      { name: 'name', internalType: 'string', type: 'string', indexed: false },
      {
        name: 'description',
        internalType: 'string',
        type: 'string',
        indexed: false,
      },
    ],
    name: 'GroupMetadataUpdated',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'groupId',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
    ],
    name: 'GroupRemoved',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'groupId',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      { name: 'name', internalType: 'string', type: 'string', indexed: false },
      {
        name: 'description',
        internalType: 'string',
        type: 'string',
        indexed: false,
      },
      {
        name: 'cidHashes',
        internalType: 'uint256[]',
        type: 'uint256[]',
        indexed: false,
      },
      {
        name: 'pkpIds',
        internalType: 'address[]',
        type: 'address[]',
        indexed: false,
      },
    ],
    name: 'GroupUpdated',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'guardian',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'GuardianSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      { name: 'key', internalType: 'string', type: 'string', indexed: false },
      { name: 'value', internalType: 'string', type: 'string', indexed: false },
    ],
    name: 'NodeConfigurationSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'signer',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      {
        name: 'nonce',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
    ],
    name: 'NonceCancelled',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'previousOwner',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      {
        name: 'newOwner',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'OwnershipTransferStarted',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'previousOwner',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      {
        name: 'newOwner',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'OwnershipTransferred',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'caller',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'PayersFrozen',
  },
  { type: 'event', anonymous: false, inputs: [], name: 'PayersUnfrozen' },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'groupId',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'pkpId',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'PkpAddedToGroup',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'groupId',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'pkpId',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'PkpRemovedFromGroup',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'pricingOperator',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'PricingOperatorSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'pricingItemId',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'price',
        internalType: 'uint256',
        type: 'uint256',
        indexed: false,
      },
    ],
    name: 'PricingSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'signer',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      {
        name: 'nonce',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'digest',
        internalType: 'bytes32',
        type: 'bytes32',
        indexed: false,
      },
    ],
    name: 'SignedWritesExecuted',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'usageApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'expiration',
        internalType: 'uint256',
        type: 'uint256',
        indexed: false,
      },
    ],
    name: 'UsageApiKeyExpirationSet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'usageApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      { name: 'name', internalType: 'string', type: 'string', indexed: false },
      {
        name: 'description',
        internalType: 'string',
        type: 'string',
        indexed: false,
      },
    ],
    name: 'UsageApiKeyMetadataUpdated',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'usageApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
    ],
    name: 'UsageApiKeyRemoved',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'usageApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'newUsageApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
    ],
    name: 'UsageApiKeyRotated',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'usageApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'expiration',
        internalType: 'uint256',
        type: 'uint256',
        indexed: false,
      },
      {
        name: 'balance',
        internalType: 'uint256',
        type: 'uint256',
        indexed: false,
      },
      { name: 'name', internalType: 'string', type: 'string', indexed: false },
      {
        name: 'description',
        internalType: 'string',
        type: 'string',
        indexed: false,
      },
      {
        name: 'permissions',
        internalType: 'struct IUsageKeyWrites.UsageApiKeyPermissions',
        type: 'tuple',
        components: [
          { name: 'createGroups', internalType: 'bool', type: 'bool' },
          { name: 'deleteGroups', internalType: 'bool', type: 'bool' },
          { name: 'createPKPs', internalType: 'bool', type: 'bool' },
          {
            name: 'manageIPFSIdsInGroups',
            internalType: 'uint256[]',
            type: 'uint256[]',
          },
          {
            name: 'addPkpToGroups',
            internalType: 'uint256[]',
            type: 'uint256[]',
          },
          {
            name: 'removePkpFromGroups',
            internalType: 'uint256[]',
            type: 'uint256[]',
          },
          {
            name: 'executeInGroups',
            internalType: 'uint256[]',
            type: 'uint256[]',
          },
        ],
        indexed: false,
      },
    ],
    name: 'UsageApiKeySet',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'pkpId',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
      {
        name: 'derivationPath',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      { name: 'name', internalType: 'string', type: 'string', indexed: false },
      {
        name: 'description',
        internalType: 'string',
        type: 'string',
        indexed: false,
      },
    ],
    name: 'WalletDerivationRegistered',
  },
  {
    type: 'event',
    anonymous: false,
    inputs: [
      {
        name: 'masterApiKeyHash',
        internalType: 'uint256',
        type: 'uint256',
        indexed: true,
      },
      {
        name: 'pkpId',
        internalType: 'address',
        type: 'address',
        indexed: true,
      },
    ],
    name: 'WalletDerivationRemoved',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'AccountAlreadyExists',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'AccountDoesNotExist',
  },
  { type: 'error', inputs: [], name: 'AccountHashIsZero' },
  {
    type: 'error',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'AccountIsManaged',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'AccountNotAccepted',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'actionHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'ActionAlreadyExists',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'actionHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'ActionDoesNotExist',
  },
  { type: 'error', inputs: [], name: 'ActionHashIsZero' },
  { type: 'error', inputs: [], name: 'AdminWalletIsZero' },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'adminWalletAddress', internalType: 'address', type: 'address' },
    ],
    name: 'AlreadyAdminWallet',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'AlreadyChainSecured',
  },
  {
    type: 'error',
    inputs: [{ name: 'position', internalType: 'uint256', type: 'uint256' }],
    name: 'ApiPayerIsZero',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiPayer', internalType: 'address', type: 'address' }],
    name: 'ApiPayersAreFrozen',
  },
  {
    type: 'error',
    inputs: [
      { name: 'index', internalType: 'uint256', type: 'uint256' },
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'CallOfAnotherAccount',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'ConsentRequired',
  },
  {
    type: 'error',
    inputs: [{ name: 'perDay', internalType: 'uint256', type: 'uint256' }],
    name: 'ConversionLimitReached',
  },
  {
    type: 'error',
    inputs: [
      { name: 'derivationPath', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'DerivationPathAlreadyRegistered',
  },
  { type: 'error', inputs: [], name: 'DerivationPathIsZero' },
  {
    type: 'error',
    inputs: [
      { name: 'derivationPath', internalType: 'uint256', type: 'uint256' },
      { name: 'mintedFor', internalType: 'address', type: 'address' },
    ],
    name: 'DerivationPathNotMintedFor',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiPayer', internalType: 'address', type: 'address' }],
    name: 'DuplicateApiPayer',
  },
  {
    type: 'error',
    inputs: [
      { name: 'expiration', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'ExpirationTooLarge',
  },
  {
    type: 'error',
    inputs: [{ name: 'selector', internalType: 'bytes4', type: 'bytes4' }],
    name: 'FunctionNotFound',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'GroupDoesNotExist',
  },
  {
    type: 'error',
    inputs: [{ name: 'id', internalType: 'uint256', type: 'uint256' }],
    name: 'IdCollision',
  },
  {
    type: 'error',
    inputs: [{ name: 'init', internalType: 'address', type: 'address' }],
    name: 'InitializationFailed',
  },
  {
    type: 'error',
    inputs: [
      { name: 'available', internalType: 'uint256', type: 'uint256' },
      { name: 'needed', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'InsufficientGas',
  },
  {
    type: 'error',
    inputs: [{ name: 'facet', internalType: 'address', type: 'address' }],
    name: 'InvalidFacet',
  },
  {
    type: 'error',
    inputs: [{ name: 'reason', internalType: 'string', type: 'string' }],
    name: 'InvalidRequest',
  },
  {
    type: 'error',
    inputs: [{ name: 'signer', internalType: 'address', type: 'address' }],
    name: 'InvalidSignature',
  },
  {
    type: 'error',
    inputs: [{ name: 'index', internalType: 'uint256', type: 'uint256' }],
    name: 'MalformedCall',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'NewAccountNotManaged',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'caller', internalType: 'address', type: 'address' },
    ],
    name: 'NoAccountAccess',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'NoPendingTransfer',
  },
  {
    type: 'error',
    inputs: [{ name: 'facet', internalType: 'address', type: 'address' }],
    name: 'NoSelectors',
  },
  {
    type: 'error',
    inputs: [
      { name: 'length', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'NodeConfigurationKeyLengthOutOfRange',
  },
  {
    type: 'error',
    inputs: [
      { name: 'length', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'NodeConfigurationValueTooLong',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'nonce', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'NonceAlreadyUsed',
  },
  {
    type: 'error',
    inputs: [
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'NotAllowedToAddPkpToGroup',
  },
  {
    type: 'error',
    inputs: [
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'NotAllowedToCreateGroup',
  },
  {
    type: 'error',
    inputs: [
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'NotAllowedToCreatePkp',
  },
  {
    type: 'error',
    inputs: [
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'NotAllowedToDeleteGroup',
  },
  {
    type: 'error',
    inputs: [
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'NotAllowedToManageIPFSIdsInGroup',
  },
  {
    type: 'error',
    inputs: [
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'NotAllowedToRemovePkpFromGroup',
  },
  {
    type: 'error',
    inputs: [{ name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' }],
    name: 'NotMasterAccount',
  },
  {
    type: 'error',
    inputs: [
      { name: 'index', internalType: 'uint256', type: 'uint256' },
      { name: 'selector', internalType: 'bytes4', type: 'bytes4' },
    ],
    name: 'NotSignable',
  },
  {
    type: 'error',
    inputs: [{ name: 'caller', internalType: 'address', type: 'address' }],
    name: 'OnlyApiPayer',
  },
  {
    type: 'error',
    inputs: [{ name: 'caller', internalType: 'address', type: 'address' }],
    name: 'OnlyApiPayerOrOwner',
  },
  {
    type: 'error',
    inputs: [{ name: 'caller', internalType: 'address', type: 'address' }],
    name: 'OnlyConfigOperatorOrOwner',
  },
  {
    type: 'error',
    inputs: [{ name: 'caller', internalType: 'address', type: 'address' }],
    name: 'OnlyGuardianOrOwner',
  },
  {
    type: 'error',
    inputs: [{ name: 'caller', internalType: 'address', type: 'address' }],
    name: 'OnlyOwner',
  },
  {
    type: 'error',
    inputs: [{ name: 'caller', internalType: 'address', type: 'address' }],
    name: 'OnlyPendingOwner',
  },
  {
    type: 'error',
    inputs: [{ name: 'caller', internalType: 'address', type: 'address' }],
    name: 'OnlyPricingOperatorOrOwner',
  },
  { type: 'error', inputs: [], name: 'OwnerIsZero' },
  {
    type: 'error',
    inputs: [
      { name: 'pageSize', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'PageSizeOutOfRange',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
    ],
    name: 'PkpAlreadyExists',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'pkpId', internalType: 'address', type: 'address' },
    ],
    name: 'PkpDoesNotExist',
  },
  { type: 'error', inputs: [], name: 'PkpIsZero' },
  {
    type: 'error',
    inputs: [
      { name: 'selector', internalType: 'bytes4', type: 'bytes4' },
      { name: 'facet', internalType: 'address', type: 'address' },
    ],
    name: 'SelectorAlreadyRouted',
  },
  {
    type: 'error',
    inputs: [
      { name: 'selector', internalType: 'bytes4', type: 'bytes4' },
      { name: 'facet', internalType: 'address', type: 'address' },
    ],
    name: 'SelectorNotReplaceable',
  },
  {
    type: 'error',
    inputs: [{ name: 'deadline', internalType: 'uint256', type: 'uint256' }],
    name: 'SignatureExpired',
  },
  {
    type: 'error',
    inputs: [
      { name: 'count', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'SignedCallsOutOfRange',
  },
  {
    type: 'error',
    inputs: [
      { name: 'count', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'TooManyApiPayers',
  },
  {
    type: 'error',
    inputs: [
      { name: 'count', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'TooManyGroupEntries',
  },
  {
    type: 'error',
    inputs: [
      { name: 'groupId', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'TooManyGroupMembers',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'TooManyGroups',
  },
  {
    type: 'error',
    inputs: [{ name: 'maximum', internalType: 'uint256', type: 'uint256' }],
    name: 'TooManyItems',
  },
  {
    type: 'error',
    inputs: [{ name: 'maximum', internalType: 'uint256', type: 'uint256' }],
    name: 'TooManyNodeConfigurations',
  },
  {
    type: 'error',
    inputs: [
      { name: 'count', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'TooManyUsageApiKeyEntries',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'maximum', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'TooManyUsageApiKeys',
  },
  {
    type: 'error',
    inputs: [
      { name: 'apiKeyHash', internalType: 'uint256', type: 'uint256' },
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'UsageApiKeyDoesNotExist',
  },
  {
    type: 'error',
    inputs: [
      { name: 'usageApiKeyHash', internalType: 'uint256', type: 'uint256' },
    ],
    name: 'UsageApiKeyExpired',
  },
  { type: 'error', inputs: [], name: 'UsageApiKeyHashIsZero' },
] as const
