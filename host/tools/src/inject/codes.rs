//! Error codes of `kube-inject`.

use crate::code::codes;

codes! {
    AIR_REAL = "kube::air::real", Refused,
        "The target is a transmitter on real air, where others may be. kube-inject sends there only when \
         --i-own-this-air says that everything in range is yours.";
    AIR_PASSIVE = "kube::air::passive", NoDevice,
        "Nothing can be sent to a target of that kind: a capture is only read, and the receivers that \
         are supported do not transmit.";
    AIR_NOT_HEARD = "kube::air::not-heard", TimedOut,
        "What --after names was not heard within --within. Look with kube-sniff at the same place \
         whether the cluster is on this air.";
    FRAME_FORM = "kube::frame::form", Usage,
        "The frame cannot be made: a kind that is not built from flags, a name or list that is too long, \
         or digits that are no frame.";
}
