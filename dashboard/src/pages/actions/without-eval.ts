/** The Content-Security-Policy forbids code from text, with which zod would validate faster. Imported before the schemas are made. */
import { config } from 'zod';

config({ jitless: true });
