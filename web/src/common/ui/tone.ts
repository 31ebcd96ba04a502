/** How a state is meant: a sign and a colour belong to each. */
export type Tone = 'good' | 'warning' | 'bad' | 'idle' | 'busy'
