import { Anchor } from '@mantine/core'
import { useState } from 'react'
import { cutText } from '../format/cut-text.ts'
import { CodeText } from './code-text.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly text: string
  /** The most characters that are shown before «show all». */
  readonly limit?: number
}

/** Text by others: a name, a URL. It cannot reorder the text beside it. A long text is cut. */
export function ForeignText({ text, limit = 120 }: Props) {
  const { shown, isCut, toggle } = useCut(text, limit)
  return (
    <>
      <bdi className="foreign">{shown}</bdi>
      {toggle && <CutToggle isCut={isCut} length={text.length} onToggle={toggle} />}
    </>
  )
}

/** A name by others that is a link. A long name is cut, and shown whole on hover. */
export function ForeignName({ text, limit = 60 }: Props) {
  const { shown, isCut } = cutText(text, limit)
  return (
    <bdi className="foreign" title={isCut ? text : undefined}>
      {isCut ? `${shown}…` : shown}
    </bdi>
  )
}

/** A block of text by others: the body of an answer, a payload. It keeps spaces and lines. */
export function ForeignBlock({ text, limit = 4_000, label }: Props & { label: string }) {
  const { shown, isCut, toggle } = useCut(text, limit)
  return (
    <div>
      {/* The text may be larger than its box. A place in the tab order lets the arrow keys scroll it. */}
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
