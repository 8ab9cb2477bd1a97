// The versions of Node that are tested: docs/operations/support.md states what each promises.

/** The first supported version of each line. 20.19 is supported on a best-effort basis. */
export const floors = ["20.19.0", "22.23.0", "24.15.0", "26.0.0"];

/** The version that runs the test suite; the container image contains the same. */
export const currentLts = "24.21.0";
