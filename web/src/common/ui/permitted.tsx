import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Permission } from '../api/wire.ts'
import { useMay, useSession } from '../session/context.ts'
import { PageTitle } from './page-title.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly action: Permission
  /** Of the page, for a user who may not use it. */
  readonly title: string
  readonly children: ReactNode
}

/** A page for those who may do what it is for. Others are told at once, and not when they have filled in its form. */
export function Permitted({ action, title, children }: Props) {
  const { company } = useSession()
  if (useMay(action)) return children
  const isSuspended = company.suspended_at !== null
  return (
    <>
      <PageTitle title={title} />
      <Alert variant="outline" title={isSuspended ? texts.companySuspended : texts.roleForbids}>
        {isSuspended ? texts.possibleWhenResumed : texts.youCanAskAnAdmin}
      </Alert>
    </>
  )
}
