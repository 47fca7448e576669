// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import { IAccountConfig } from "../contracts/interfaces/IAccountConfig.sol";
import { IConfigFacet } from "../contracts/interfaces/IConfigFacet.sol";
import { IDiamond } from "../contracts/interfaces/IDiamond.sol";
import { Plan } from "./Plan.sol";

/// @notice Deploys AccountConfig with all of its facets.
///
/// The diamond is created with the deployer as its owner, which is part of its creation code: any sender of that code
/// creates a diamond that the deployer owns and that has no payers. Its address follows from the deployer and the
/// compiled code. The deployer then applies the settings and offers the ownership to the owner, who must accept it. With a
/// timelock the owner is a new Timelock, which accepts by an operation that is scheduled and executed after the delay.
contract Deploy is Plan {
    struct Settings {
        address owner;
        address[] apiPayers;
        address adminApiPayer;
    }

    /// A delay of 0 means no timelock.
    struct TimelockSettings {
        /// Seconds.
        uint256 minDelay;
        address[] proposers;
        address[] executors;
    }

    /// A setting of one value, which one function reads and one function of the owner sets.
    struct Value {
        string what;
        /// Calldata of the view, and what it returns for a new diamond.
        bytes read;
        bytes initial;
        bytes wanted;
        /// Calldata that sets the wanted value.
        bytes write;
    }

    struct Inputs {
        address deployer;
        Settings settings;
        TimelockSettings timelock;
        Value[] values;
        IConfigFacet.NodeConfiguration[] nodeConfiguration;
    }

    struct Deployment {
        address diamond;
        /// The logs of the diamond start at this block or later.
        uint256 startBlock;
        FacetCode[] facets;
    }

    uint8 private constant BROADCAST = 6;
    /// A longer delay is most likely not in seconds. The ownership could not be accepted before it has passed.
    uint256 internal constant MAX_DELAY = 30 days;

    error TimelockDelayOutOfRange(uint256 minDelay, uint256 maxDelay);
    error TimelockWithoutProposer();
    error TimelockWithoutExecutor();
    error TimelockMemberIsZero();

    /// @notice For networks, see docs/deployment.md: a chain has one diamond per set of facets and deployer.
    function execute(Inputs memory inputs) external returns (Report memory report) {
        report = plan(inputs);
        broadcast(inputs.deployer, report.calls);
    }

    /// @notice For local chains: each run creates a new diamond, and `<DEPLOYMENTS_DIR>/<chainId>.json` is written
    /// before its transactions are mined.
    ///
    /// npm run build && npm run forge -- script script/Deploy.s.sol:Deploy --rpc-url URL --broadcast --private-key KEY
    ///
    /// OWNER              the new owner; if it is not the deployer it must call acceptOwnership (default: deployer)
    /// API_PAYERS         addresses, comma separated (default: none)
    /// ADMIN_API_PAYER    an address (default: the first api payer)
    /// GUARDIAN           an address that may freeze the api payers (default: none)
    /// TIMELOCK_MIN_DELAY seconds; the ownership is offered to a Timelock instead of OWNER (default: no timelock)
    /// TIMELOCK_PROPOSERS addresses that may schedule and cancel calls, comma separated (default: OWNER)
    /// TIMELOCK_EXECUTORS addresses that may execute calls after the delay, comma separated (default: OWNER)
    /// DEPLOYMENTS_DIR    directory of the file (default: deployments)
    function run() external returns (Deployment memory deployment) {
        requireRoutableFacets();
        scripts.startBroadcast();
        // In a broadcast the sender is the deployer.
        deployment = deploy(inputsFromEnvironment(msg.sender));
        scripts.stopBroadcast();
        if (scripts.isContext(BROADCAST)) write(deployment, deploymentFile());
    }

    function inputsFromEnvironment(address deployer) internal view returns (Inputs memory inputs) {
        inputs.deployer = deployer;
        Settings memory settings = inputs.settings;
        settings.owner = scripts.envOr("OWNER", deployer);
        settings.apiPayers = scripts.envOr("API_PAYERS", ",", new address[](0));
        settings.adminApiPayer = scripts.envOr(
            "ADMIN_API_PAYER", settings.apiPayers.length == 0 ? address(0) : settings.apiPayers[0]
        );
        inputs.values = new Value[](1);
        inputs.values[0] = addressValue(
            "setGuardian",
            IConfigFacet.guardian.selector,
            IConfigFacet.setGuardian.selector,
            scripts.envOr("GUARDIAN", address(0))
        );
        address[] memory owners = new address[](1);
        owners[0] = settings.owner;
        inputs.timelock = TimelockSettings({
            minDelay: scripts.envOr("TIMELOCK_MIN_DELAY", uint256(0)),
            proposers: scripts.envOr("TIMELOCK_PROPOSERS", ",", owners),
            executors: scripts.envOr("TIMELOCK_EXECUTORS", ",", owners)
        });
    }

    /// @notice Creates a new diamond and applies its settings.
    /// @param deployer Sender of the calls of this script; owns the diamond until the settings are applied.
    function deploy(address deployer, Settings memory settings)
        internal
        returns (Deployment memory deployment)
    {
        Inputs memory inputs;
        (inputs.deployer, inputs.settings) = (deployer, settings);
        return deploy(inputs);
    }

    function deploy(Inputs memory inputs) internal returns (Deployment memory deployment) {
        deployment.startBlock = block.number;
        deployment.facets = facetCodes();
        bytes memory code = diamondCode(inputs.deployer, additions(deployment.facets));
        uint256 salt;
        while (addressOf(salt, code).code.length != 0) ++salt;
        deployment.diamond = addressOf(salt, code);
        send(callsFor(inputs, deployment.facets, salt));
    }

    /// @notice The contracts at the end, and the calls that are still to be sent.
    function plan(Inputs memory inputs) internal returns (Report memory report) {
        requireRoutableFacets();
        FacetCode[] memory facets = facetCodes();
        report = expected(inputs.deployer, inputs.timelock, facets);
        report.calls = callsFor(inputs, facets, 0);
    }

    /// @notice The contracts of a finished deployment of the compiled code; sends no calls.
    function expected(address deployer, TimelockSettings memory timelock) external returns (Report memory) {
        return expected(deployer, timelock, facetCodes());
    }

    function expected(address deployer, TimelockSettings memory timelock, FacetCode[] memory facets)
        internal
        returns (Report memory report)
    {
        report.cuts = additions(facets);
        report.diamond = addressOf(0, diamondCode(deployer, report.cuts));
        Code[] memory codes = describe(facets);
        uint256 count = codes.length;
        report.codes = new Code[](timelock.minDelay == 0 ? count + 1 : count + 2);
        for (uint256 i; i < count; ++i) {
            report.codes[i] = codes[i];
        }
        address sample = create("AccountConfig", abi.encode(deployer, new IDiamond.FacetCut[](0)));
        report.codes[count] = describe("AccountConfig", report.diamond, sample);
        if (timelock.minDelay == 0) return report;
        bytes memory code = timelockCode(timelock);
        sample = create("Timelock", _timelockArguments(timelock));
        report.codes[count + 1] = describe("Timelock", addressOf(0, code), sample);
    }

    function callsFor(Inputs memory inputs, FacetCode[] memory facets, uint256 salt)
        internal
        view
        returns (Call[] memory calls)
    {
        bytes memory code = diamondCode(inputs.deployer, additions(facets));
        IAccountConfig diamond = IAccountConfig(addressOf(salt, code));
        calls = join(facetCreations(facets), timelockCreation(inputs.timelock));
        if (address(diamond).code.length == 0) {
            Call[] memory diamondCreation = new Call[](1);
            diamondCreation[0] = creation("AccountConfig", salt, code);
            calls = join(calls, diamondCreation);
        } else if (diamond.owner() != inputs.deployer) {
            return calls;
        }
        return join(calls, settingCalls(diamond, inputs));
    }

    /// @notice The calls for settings that differ from the wanted ones. The ownership is offered last.
    function settingCalls(IAccountConfig diamond, Inputs memory inputs)
        internal
        view
        returns (Call[] memory calls)
    {
        Settings memory settings = inputs.settings;
        State memory state = _stateOf(diamond);
        calls = new Call[](3 + inputs.values.length + inputs.nodeConfiguration.length);
        uint256 count;
        if (!sameSet(state.apiPayers, settings.apiPayers)) {
            calls[count++] = Call(
                "setApiPayers", address(diamond), abi.encodeCall(diamond.setApiPayers, settings.apiPayers)
            );
        }
        if (state.adminApiPayer != settings.adminApiPayer) {
            calls[count++] = Call(
                "setAdminApiPayerAccount",
                address(diamond),
                abi.encodeCall(diamond.setAdminApiPayerAccount, settings.adminApiPayer)
            );
        }
        for (uint256 i; i < inputs.values.length; ++i) {
            Value memory value = inputs.values[i];
            if (_isEqual(state.exists ? _read(diamond, value) : value.initial, value.wanted)) continue;
            calls[count++] = Call(value.what, address(diamond), value.write);
        }
        for (uint256 i; i < inputs.nodeConfiguration.length; ++i) {
            IConfigFacet.NodeConfiguration memory wanted = inputs.nodeConfiguration[i];
            if (
                state.exists
                    && _isEqual(bytes(diamond.nodeConfigurationValue(wanted.key)), bytes(wanted.value))
            ) continue;
            calls[count++] = Call(
                string.concat("setNodeConfiguration ", wanted.key),
                address(diamond),
                abi.encodeCall(diamond.setNodeConfiguration, (wanted.key, wanted.value))
            );
        }
        address owner = ownerOf(inputs);
        if (owner != inputs.deployer && state.pendingOwner != owner) {
            calls[count++] = Call(
                "transferOwnership", address(diamond), abi.encodeCall(diamond.transferOwnership, owner)
            );
        }
        _shorten(calls, count);
    }

    struct State {
        bool exists;
        address[] apiPayers;
        address adminApiPayer;
        address pendingOwner;
    }

    /// @notice A setting that is an address, and zero in a new diamond.
    function addressValue(string memory what, bytes4 read, bytes4 setter, address wanted)
        internal
        pure
        returns (Value memory)
    {
        return Value({
            what: what,
            read: abi.encodePacked(read),
            initial: abi.encode(address(0)),
            wanted: abi.encode(wanted),
            write: abi.encodeWithSelector(setter, wanted)
        });
    }

    function _read(IAccountConfig diamond, Value memory value) private view returns (bytes memory found) {
        bool success;
        (success, found) = address(diamond).staticcall(value.read);
        if (!success) revert CallFailed(value.what);
    }

    /// @notice Empty before the diamond exists.
    function _stateOf(IAccountConfig diamond) private view returns (State memory state) {
        if (address(diamond).code.length == 0) return state;
        state = State({
            exists: true,
            apiPayers: diamond.api_payers(),
            adminApiPayer: diamond.adminApiPayerAccount(),
            pendingOwner: diamond.pendingOwner()
        });
    }

    // --------------------------------------------------------------------------------------------- timelock

    /// @notice The address that gets the ownership.
    function ownerOf(Inputs memory inputs) internal view returns (address) {
        if (inputs.timelock.minDelay == 0) return inputs.settings.owner;
        return addressOf(0, timelockCode(inputs.timelock));
    }

    /// @notice The creation code of the timelock. Its address follows from the delay, the proposers and the executors.
    function timelockCode(TimelockSettings memory timelock) internal view returns (bytes memory) {
        if (timelock.minDelay > MAX_DELAY) revert TimelockDelayOutOfRange(timelock.minDelay, MAX_DELAY);
        if (timelock.proposers.length == 0) revert TimelockWithoutProposer();
        if (timelock.executors.length == 0) revert TimelockWithoutExecutor();
        // An executor of address zero would let anyone execute.
        if (contains(timelock.proposers, address(0)) || contains(timelock.executors, address(0))) {
            revert TimelockMemberIsZero();
        }
        return initCode("Timelock", _timelockArguments(timelock));
    }

    function timelockCreation(TimelockSettings memory timelock) internal view returns (Call[] memory calls) {
        if (timelock.minDelay == 0) return calls;
        bytes memory code = timelockCode(timelock);
        if (addressOf(0, code).code.length != 0) return calls;
        calls = new Call[](1);
        calls[0] = creation("Timelock", 0, code);
    }

    function _timelockArguments(TimelockSettings memory timelock) private pure returns (bytes memory) {
        return abi.encode(timelock.minDelay, timelock.proposers, timelock.executors);
    }

    function _isEqual(bytes memory a, bytes memory b) private pure returns (bool) {
        return keccak256(a) == keccak256(b);
    }

    function additions(FacetCode[] memory facets) internal pure returns (IDiamond.FacetCut[] memory cuts) {
        cuts = new IDiamond.FacetCut[](facets.length);
        for (uint256 i; i < cuts.length; ++i) {
            cuts[i] = IDiamond.FacetCut({
                facetAddress: facets[i].deployed,
                action: IDiamond.FacetCutAction.Add,
                functionSelectors: facets[i].selectors
            });
        }
    }

    function diamondCode(address deployer, IDiamond.FacetCut[] memory cuts)
        internal
        view
        returns (bytes memory)
    {
        return initCode("AccountConfig", abi.encode(deployer, cuts));
    }

    function write(Deployment memory deployment, string memory file) internal {
        string memory facets;
        for (uint256 i; i < deployment.facets.length; ++i) {
            facets =
                scripts.serializeAddress("facets", deployment.facets[i].name, deployment.facets[i].deployed);
        }
        scripts.serializeUint("deployment", "chainId", block.chainid);
        scripts.serializeAddress("deployment", "address", deployment.diamond);
        scripts.serializeUint("deployment", "startBlock", deployment.startBlock);
        string memory json = scripts.serializeString("deployment", "facets", facets);
        scripts.createDir(scripts.envOr("DEPLOYMENTS_DIR", "deployments"), true);
        scripts.writeJson(json, file);
    }
}
