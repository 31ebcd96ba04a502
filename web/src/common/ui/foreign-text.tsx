import { Anchor } from '@mantine/core'
import { useState } from 'react'
import { cutText } from '../format/cut-text.ts'
import { CodeText } from './code-text.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly text: string
  /** Characters that are shown before «show all». */
  readonly limit?: number
}

/** Text that others wrote: a name, a URL. It cannot reorder the text beside it, and a long one is cut. */
export function ForeignText({ text, limit = 120 }: Props) {
  const { shown, isCut, toggle } = useCut(text, limit)
  return (
    <>
      <bdi className="foreign">{shown}</bdi>
      {toggle && <CutToggle isCut={isCut} length={text.length} onToggle={toggle} />}
    </>
  )
}

/** A name that others wrote, where it is a link: a long one is cut, and whole on hover. */
export function ForeignName({ text, limit = 60 }: Props) {
  const { shown, isCut } = cutText(text, limit)
  return (
    <bdi className="foreign" title={isCut ? text : undefined}>
      {isCut ? `${shown}…` : shown}
    </bdi>
  )
}

/** A block of text that others wrote: an answer's body, a payload. Spaces and lines stay as they are. */
export function ForeignBlock({ text, limit = 4_000, label }: Props & { label: string }) {
  const { shown, isCut, toggle } = useCut(text, limit)
  return (
    <div>
      {/* It may be wider and higher than its box: with a place in the tab order the arrow keys scroll it. */}
      <pre className="block" tabIndex={0} aria-label={label} role="region">
        <CodeText text={shown} />
      </pre>
      {toggle && <CutToggle isCut={isCut} length={text.length} onToggle={toggle} />}
    </div>
  )
}

function useCut(text: string, limit: number) {
  const [isWhole, setWhole] = useState(false)
  const { shown, isCut } = cutText(text, limit)
  return {
    shown: isWhole ? text : shown,
    isCut: isCut && !isWhole,
    toggle: isCut ? () => setWhole(!isWhole) : undefined,
  }
}

function CutToggle({ isCut, length, onToggle }: { isCut: boolean; length: number; onToggle: () => void }) {
  return (
    <>
      {isCut && '… '}
      <Anchor component="button" type="button" size="sm" onClick={onToggle}>
        {isCut ? texts.showAll({ characters: String(length) }) : texts.showLess}
      </Anchor>
    </>
  )
}
