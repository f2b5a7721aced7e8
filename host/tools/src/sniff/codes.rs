//! Error codes of `kube-sniff`; those about sources also of `kube-inject`.

use crate::code::codes;

codes! {
    SOURCE_NONE = "kube::source::none", NoDevice,
        "There is no such relay, lab, capture or receiver. kube-air relay starts a relay, kube-lab run \
         --attach a lab that can be listened to.";
    SOURCE_DENIED = "kube::source::denied", Denied,
        "The operating system does not allow this user to open the source. A lab's socket can be opened \
         by the user who started the lab.";
    SOURCE_IO = "kube::source::io", Failed,
        "The source was there and listening to it failed; what had been heard is shown, and a capture \
         that was being written is whole.";
    SOURCE_DAMAGED = "kube::source::damaged", Failed,
        "What comes from the source is no capture, or not what a lab says: the file is of another kind \
         or damaged, or the programs are of different builds.";
    SOURCE_USB = "kube::source::usb", NoDevice,
        "No receiver on USB could be meant, or several: kube-sniff list shows those that are plugged in and \
         what each can hear.";
    SOURCE_ACTIVE = "kube::source::active", Refused,
        "This receiver hears acknowledged frames only by acknowledging them itself: it would look like one \
         more station. kube-sniff never sends.";
    CAPTURE_WRITE = "kube::capture::write", Failed,
        "The capture cannot be written: the folder is missing, may not be written or is full. What was \
         written before is whole up to its last record.";
    CAPTURE_DIFFERS = "kube::capture::differs", Failed,
        "The two captures do not have the same frames in the same order. With --content frames are the \
         same if they say the same, whatever their counters and signatures.";
    EXPECT_BROKEN = "kube::expect::broken", Failed,
        "A rule of --expect does not hold. kube-sniff rules shows the language; the reason stands behind \
         each broken rule.";
    WIRESHARK_FOLDER = "kube::wireshark::folder", NoDevice,
        "Neither tshark nor Wireshark says where it looks for capture programs and Lua plugins. Help, \
         About, Folders in Wireshark shows both folders; --extcap-folder and --plugin-folder name them.";
    WIRESHARK_ASK = "kube::wireshark::ask", Usage,
        "extcap run is for Wireshark: it names one of the interfaces that --extcap-interfaces lists, and \
         asks for one thing at a time.";
}
