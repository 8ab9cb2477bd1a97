// The page forbids making code from text; schemas must not even try. Imported before anything that makes one.
import { config } from "zod";

config({ jitless: true });
