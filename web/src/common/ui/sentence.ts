import { createElement, Fragment, type ReactNode } from 'react'

/** A tagged template: a sentence with elements inside of it, such as links and times, that a translation may put elsewhere. */
export const sentence = (texts: TemplateStringsArray, ...parts: readonly ReactNode[]): ReactNode =>
  createElement(Fragment, null, ...texts.flatMap((text, index) => [text, parts[index]]))
