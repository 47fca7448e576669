/** The default theme with the fonts of the system: text is there before a font could be. */
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
