/** The first letter of a user's name in a circle. It is decoration, because the name stands beside it. */
export const Avatar = ({ name }: { name: string }) => (
  <span className="avatar" aria-hidden="true">
    {String.fromCodePoint(name.trim().codePointAt(0) ?? 0x3f)}
  </span>
)
