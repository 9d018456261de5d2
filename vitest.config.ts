import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real servers, real processes: generous, since a test is never a stopwatch.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two workers on the smallest machine we build for; each spawns servers of its own.
    maxWorkers: 2,
    pool: "forks",
  },
});

export default config;
