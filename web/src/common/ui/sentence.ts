import { createElement, Fragment, type ReactNode } from 'react'

/**
 * A tagged template for a sentence with elements inside, such as links and times. A translation may put them in another place.
 */
export const sentence = (texts: TemplateStringsArray, ...parts: readonly ReactNode[]): ReactNode =>
  createElement(Fragment, null, ...texts.flatMap((text, index) => [text, parts[index]]))
