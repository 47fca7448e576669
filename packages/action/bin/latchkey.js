#!/usr/bin/env -S node --conditions=@latchkey/source
import '../src/main.ts';
