import { onChange } from './changes.ts';

// They change no list.
onChange('AccountConfig:SignedWritesExecuted');
onChange('AccountConfig:NonceCancelled');
