// The machine of the published description, without additions.

#include "Vcompat.h"
#include "Vcompat___024root.h"
#include "model.h"

Machine* new_compat() { return new Model<Vcompat, Plain>; }
