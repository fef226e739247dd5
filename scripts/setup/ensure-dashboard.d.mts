export function buildDashboard(): Promise<void>;
export function ensureDashboard(runNode: (args: string[]) => number | null): void;
