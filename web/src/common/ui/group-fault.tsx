import type { ReactNode } from 'react'

/** What is wrong with a group of fields that has no single one to show it. It looks as below a field, and can have the focus. */
export const GroupFault = ({ children }: { children: ReactNode }) => (
  <p className="group-fault foreign" role="alert" tabIndex={-1} data-fault>
    {children}
  </p>
)
