import { describe, expect, test } from 'vitest';
import { html } from './html.ts';

describe('html', () => {
  test('escapes values in content and in double-quoted attributes', () => {
    expect(html`<a title="${'"\'<&>'}">${'<script>alert(1)</script> &amp;'}</a>`.text).toBe(
      '<a title="&#34;&#39;&#60;&#38;&#62;">&#60;script&#62;alert(1)&#60;/script&#62; &#38;amp;</a>',
    );
  });

  test('does not escape Html values, also in arrays', () => {
    expect(html`<ul>${['<', '>'].map((text) => html`<li>${text}</li>`)}</ul>`.text).toBe(
      '<ul><li>&#60;</li><li>&#62;</li></ul>',
    );
  });

  test('escapes strings and objects that look like HTML', () => {
    expect(html`${JSON.parse('{"text":"<b>"}')}`.text).not.toContain('<b>');
    expect(html`${['<b>', ['<i>']]}`.text).toBe('&#60;b&#62;&#60;i&#62;');
  });

  test.each([undefined, null, false] as const)('renders %s as nothing', (value) => {
    expect(html`<p>${value}</p>`.text).toBe('<p></p>');
  });

  test('renders 0 and the empty string', () => {
    expect(html`${0}|${''}`.text).toBe('0|');
  });
});
