// The content security policy of the page forbids eval; schema libraries must not try it. Imported before any schema.
import { config } from "zod";

config({ jitless: true });
