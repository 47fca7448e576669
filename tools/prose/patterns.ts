/** Phrases that the writing guide replaces. */

export type Pattern = {
  /** The phrase as it is reported. */
  phrase: string;
  pattern: RegExp;
  fix: string;
};

/** Matches the start of a sentence. Append the words that must not start it. */
const SENTENCE_START = String.raw`(?<=^(?:[-*#>|\d.]+ )?\**|[.!?:;|] \**)`;
const startsWith = (words: string) => new RegExp(`${SENTENCE_START}(?:${words})\\b`, 'g');
const SUBJECT = 'begin with the subject, a noun';

/** In comments, strings and documents. */
export const phrases: Pattern[] = [
  { phrase: 'What …', pattern: startsWith('What|Whatever'), fix: SUBJECT },
  { phrase: 'Whoever …', pattern: startsWith('Whoever'), fix: SUBJECT },
  { phrase: 'Those that …', pattern: startsWith('Those (?:that|who|whose|of|in|with|from)'), fix: SUBJECT },
  { phrase: 'Nobody …', pattern: /\bnobody\b/gi, fix: 'name who: no caller, no user, no process' },
  { phrase: 'None …', pattern: startsWith('None'), fix: SUBJECT },
  { phrase: 'everybody', pattern: /\b(?:everybody|somebody|anybody)\b/gi, fix: 'name who' },
  { phrase: 'core service', pattern: /\bcore service\b/gi, fix: 'relayer' },
  { phrase: 'stroke', pattern: /\bstrokes?\b/gi, fix: 'atomically' },
  { phrase: 'at once', pattern: /\bat once\b/gi, fix: 'immediately, concurrently or together' },
  { phrase: 'side by side', pattern: /\bside by side\b/gi, fix: 'concurrently' },
  { phrase: 'at the same time', pattern: /\bat the same time\b/gi, fix: 'concurrently' },
  { phrase: 'under way', pattern: /\bunder ?way\b/gi, fix: 'in-flight' },
  { phrase: 'as fast as it goes', pattern: /\bas fast as (?:it goes|possible)\b/gi, fix: 'throughput' },
  { phrase: 'makes no sense', pattern: /\bmakes? no sense\b/gi, fix: 'invalid' },
  {
    phrase: 'is no …',
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were) no (?!longer|more|less|other|later|earlier|such|higher|lower|greater|need)\w+/gi,
    fix: 'is not a …, or a word such as malformed, invalid, missing',
  },
  { phrase: 'has to', pattern: /\b(?:has|have|had) to\b/gi, fix: 'must' },
  { phrase: 'To be called when …', pattern: startsWith('To be called'), fix: 'Call when …' },
];

const PICTURES = ['world', 'kit', 'desk', 'taps', 'stroke'];

/** Words that stand for something else; also in names of files and in identifiers. */
export const pictures: Pattern[] = PICTURES.map((word) => ({
  phrase: word,
  pattern: new RegExp(`(?<!drizzle-)\\b${word}s?\\b`, 'gi'),
  fix: "the field's word",
}));
