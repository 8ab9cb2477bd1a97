// The content security policy of the page forbids eval, so schema libraries must not generate code. Import this module before any schema.
import { config } from "zod";

config({ jitless: true });
