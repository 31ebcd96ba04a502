import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Permission } from '../api/wire.ts'
import { useMay, useSession } from '../session/context.ts'
import { PageTitle } from './page-title.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly action: Permission
  /** The title of the page, for a user who may not use it. */
  readonly title: string
  readonly children: ReactNode
}

/** A page for users who may do what it is for. It tells others so at once, not after they have filled in its form. */
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
