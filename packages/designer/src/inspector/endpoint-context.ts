import { createContext, useContext } from "react";
import type { WrittenEndpoint } from "../connections/browsed-connection.ts";

/** The endpoint that the fields of a form belong to; undefined outside an endpoint. */
export const EndpointContext = createContext<WrittenEndpoint | undefined>(undefined);

export const useEndpoint = (): WrittenEndpoint | undefined => useContext(EndpointContext);
