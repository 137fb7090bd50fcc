/*
 * style.c
 *		The style sheets as strings (see style.h).
 */
#include "style.h"

const char	report_style[] =
#include "picture.css.inc"
#include "page.css.inc"
;

const char	picture_style[] =
#include "picture.css.inc"
;
