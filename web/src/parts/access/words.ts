/** What a device may do, after "whoever has it". */
export const may = {
  observe: "may watch",
  operate: "may steer and approve",
  admin: "may do everything",
} as const;
