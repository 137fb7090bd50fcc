/*
 * style.h
 *		The style sheets, which the build makes strings of: they have none of the characters < & > " '.
 */
#ifndef HKG_REPORT_STYLE_H
#define HKG_REPORT_STYLE_H

/* Of the page (page.css), and of a picture that stands alone (picture.css) */
extern const char report_style[];
extern const char picture_style[];

#endif							/* HKG_REPORT_STYLE_H */
