/** Writes of the settings on the model. */
import type { Address } from 'viem';
import { type Model, Revert, type Writes } from './model.ts';
import { NO_LIMIT, NOBODY, type State } from './state.ts';

export function configurationWrites(model: Model): Writes {
  const checkConfigOperator = () => model.checkConfigOperatorOrOwner();
  const checkPricingOperator = () => model.checkPricingOperatorOrOwner();
  const set = (check: () => void, field: keyof State, event: string) => (value: Address) => {
    check();
    Object.assign(model.state, { [field]: value });
    model.emit(event, value);
    return [];
  };
  return {
    setAdminApiPayerAccount: set(checkConfigOperator, 'adminApiPayer', 'AdminApiPayerAccountSet'),
    setConfigOperator: set(checkConfigOperator, 'configOperator', 'ConfigOperatorSet'),
    setPricingOperator: set(checkPricingOperator, 'pricingOperator', 'PricingOperatorSet'),
    setApiPayers: (payers: Address[]) => {
      model.checkOwner();
      if (payers.length > 50) throw new Revert('TooManyApiPayers', BigInt(payers.length), 50n);
      for (const [i, payer] of payers.entries()) {
        if (payer === NOBODY) throw new Revert('ApiPayerIsZero', BigInt(i));
        if (payers.indexOf(payer) < i) throw new Revert('DuplicateApiPayer', payer);
      }
      model.state.apiPayers = [...payers];
      model.emit('ApiPayersSet', payers);
      return [];
    },
    setGuardian: set(() => model.checkOwner(), 'guardian', 'GuardianSet'),
    freezePayers: () => {
      const { owner, guardian, payersFrozen } = model.state;
      if (model.caller !== owner && model.caller !== guardian) {
        throw new Revert('OnlyGuardianOrOwner', model.caller);
      }
      if (payersFrozen) return [];
      model.state.payersFrozen = true;
      model.emit('PayersFrozen', model.caller);
      return [];
    },
    unfreezePayers: () => {
      model.checkOwner();
      if (!model.state.payersFrozen) return [];
      model.state.payersFrozen = false;
      model.emit('PayersUnfrozen');
      return [];
    },
    setConversionLimit: (perDay: bigint) => {
      model.checkOwner();
      model.state.conversionLimit = perDay < 2n ** 64n ? perDay : NO_LIMIT;
      model.emit('ConversionLimitSet', model.state.conversionLimit);
      return [];
    },
    setConsentRequired: (required: boolean) => {
      model.checkOwner();
      model.state.consentRequired = required;
      model.emit('ConsentRequiredSet', required);
      return [];
    },
    setNodeConfiguration: (key: string, value: string) => {
      model.checkConfigOperatorOrOwner();
      const length = Buffer.byteLength(key);
      const valueLength = Buffer.byteLength(value);
      if (length < 1 || length > 128)
        throw new Revert('NodeConfigurationKeyLengthOutOfRange', BigInt(length), 128n);
      if (valueLength > 1024) throw new Revert('NodeConfigurationValueTooLong', BigInt(valueLength), 1024n);
      const { nodeConfiguration } = model.state;
      if (value === '') nodeConfiguration.delete(key);
      else if (!nodeConfiguration.has(key) && nodeConfiguration.size >= 100) {
        throw new Revert('TooManyNodeConfigurations', 100n);
      } else nodeConfiguration.set(key, value);
      model.emit('NodeConfigurationSet', key, value);
      return [];
    },
    setPricing: (item: bigint, price: bigint) => {
      model.checkPricingOperatorOrOwner();
      model.state.prices.set(item, price);
      model.emit('PricingSet', item, price);
      return [];
    },
    transferOwnership: (newOwner: Address) => {
      model.checkOwner();
      if (newOwner === NOBODY) throw new Revert('OwnerIsZero');
      model.state.pendingOwner = newOwner;
      model.emit('OwnershipTransferStarted', model.state.owner, newOwner);
      return [];
    },
    acceptOwnership: () => {
      const { owner, pendingOwner } = model.state;
      if (model.caller !== pendingOwner) throw new Revert('OnlyPendingOwner', model.caller);
      Object.assign(model.state, { owner: pendingOwner, pendingOwner: NOBODY });
      model.emit('OwnershipTransferred', owner, pendingOwner);
      return [];
    },
  };
}
