/** Splits a text of several lines into words. Use it for long lists of names, codes or addresses. */
export const words = (text: string): string[] => text.trim().split(/\s+/)
