import { describe, expect, test } from 'vitest';
import { html } from './html.ts';

describe('a value', () => {
  test('is escaped, for content and for attributes in double quotes', () => {
    expect(html`<a title="${'"\'<&>'}">${'<script>alert(1)</script> &amp;'}</a>`.text).toBe(
      '<a title="&#34;&#39;&#60;&#38;&#62;">&#60;script&#62;alert(1)&#60;/script&#62; &#38;amp;</a>',
    );
  });

  test('is left as it is when it is HTML, also in arrays', () => {
    expect(html`<ul>${['<', '>'].map((text) => html`<li>${text}</li>`)}</ul>`.text).toBe(
      '<ul><li>&#60;</li><li>&#62;</li></ul>',
    );
  });

  test('is no HTML because it looks like it', () => {
    expect(html`${JSON.parse('{"text":"<b>"}')}`.text).not.toContain('<b>');
    expect(html`${['<b>', ['<i>']]}`.text).toBe('&#60;b&#62;&#60;i&#62;');
  });

  test.each([undefined, null, false] as const)('%s is nothing', (value) => {
    expect(html`<p>${value}</p>`.text).toBe('<p></p>');
  });

  test('0 and the empty text are themselves', () => {
    expect(html`${0}|${''}`.text).toBe('0|');
  });
});
