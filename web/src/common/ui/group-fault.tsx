import type { ReactNode } from 'react'

/** The error of a group of fields. It looks like the error of a field, and can have the focus. */
export const GroupFault = ({ children }: { children: ReactNode }) => (
  <p className="group-fault foreign" role="alert" tabIndex={-1} data-fault>
    {children}
  </p>
)
