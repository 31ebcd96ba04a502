/** The words of a text that may go over several lines: for long lists of names, codes or addresses. */
export const words = (text: string): string[] => text.trim().split(/\s+/)
