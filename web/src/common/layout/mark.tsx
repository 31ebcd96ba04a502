/** The logo: one event that goes to two endpoints. The tab's icon shows the same. */
export const Mark = () => (
  <svg className="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
    <rect className="mark-room" width="32" height="32" rx="8" />
    <path className="mark-lines" d="M9 16h5l6-6h3M14 16l6 6h3" />
    <circle className="mark-dot" cx="9" cy="16" r="3" />
  </svg>
)
