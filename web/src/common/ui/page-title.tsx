import { Title } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { Crumbs } from '../layout/crumbs.tsx'
import { texts } from './texts.ts'
import type { Tone } from './tone.ts'

type Props = {
  /** The title. The tab of the browser shows it too. */
  readonly title: string
  /** The heading of the page, if it says more than the title that the side bar shows. */
  readonly says?: string | undefined
  /** The tone of that heading. */
  readonly tone?: Tone | undefined
  /** Shown right after the heading: a state, an address. */
  readonly beside?: ReactNode
  /** Buttons at the right. */
  readonly children?: ReactNode
}

/**
 * The heading of a screen. It takes the focus when the screen opens, so that screen readers and the tab key begin here. It
 * does not take the focus from a dialog that is already open.
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
