import { Title } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { Crumbs } from '../layout/crumbs.tsx'
import { texts } from './texts.ts'
import type { Tone } from './tone.ts'

type Props = {
  /** Also the title of the browser's tab. */
  readonly title: string
  /** What the page has to say, in place of the title that the side bar shows already. */
  readonly says?: string | undefined
  /** What it says means. */
  readonly tone?: Tone | undefined
  /** What stands right after it: a state, an address. */
  readonly beside?: ReactNode
  /** Buttons at the right. */
  readonly children?: ReactNode
}

/**
 * The heading of a screen. It takes the focus when the screen opens, so that screen readers and the tab key begin here; not out of
 * a dialog that somebody opened before the screen had come.
 */
export function PageTitle({ title, says, tone, beside, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (document.activeElement?.closest('[role=dialog]')) return
    heading.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    document.title = texts.tabTitle({ title })
  }, [title])
  return (
    <div className="page-head">
      <Crumbs title={title} />
      <Title order={1} ref={heading} tabIndex={-1} className="page-title" data-tone={tone}>
        {says === undefined ? (
          <bdi className="foreign">{title}</bdi>
        ) : (
          <>
            <span className="visually-hidden">{title}: </span>
            {says}
          </>
        )}
      </Title>
      {beside}
      {children && <div className="page-actions">{children}</div>}
    </div>
  )
}
