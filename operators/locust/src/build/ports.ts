// The ports of a test's pods.

/** Where workers reach the master. */
export const masterPort = 5557;
/** Of old Locust; what runs today uses only the other. */
export const legacyPort = 5558;
/** Where the web API is, unless the command line says otherwise. */
export const webPort = 8089;
/** Named for the worker; nothing listens there. */
export const workerPort = 8080;
