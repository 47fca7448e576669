create database latchkey_relayer;
create database latchkey_triggers;
create database latchkey_indexer;
