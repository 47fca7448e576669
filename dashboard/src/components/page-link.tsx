import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

/** A link to a page, with the types of its parameters. */
export const PageLink = createLink(
  ({
    ...props
  }: Omit<AnchorProps, 'href'> & Pick<ComponentProps<'a'>, 'href' | 'ref' | 'title' | 'children'>) => (
    <Anchor size="sm" {...props} />
  ),
);
