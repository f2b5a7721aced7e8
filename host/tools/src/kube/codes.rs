//! Error codes of `kube`.

use crate::code::codes;

codes! {
    OBJECT_MISSING = "kube::object::missing", Failed,
        "The plane has no object of that name. Names of pods begin with those of their deployment, as in \
         web-rs-0; kube get lists what there is.";
    OBJECT_NAME = "kube::object::name", Usage,
        "This cannot be the name of an object: letters, digits, hyphens and dots, the first a letter or a \
         digit, at most 31 characters; a node's name has at most 6. A kind may stand before it, as in \
         deployment/web.";
    PLANE_REFUSED = "kube::plane::refused", Failed,
        "The plane did not do what it was asked, and its own words say why.";
    PLANE_VERSION = "kube::plane::version", Failed,
        "The machine does not know a command of this tool, or answers in another form: it is no plane, its \
         image is of another version, or Kube.Start has not been run. kube-flash diff shows how its image \
         differs.";
    MANIFEST = "kube::manifest", Usage,
        "The manifest is wrong. It is YAML or TOML with a list deployments; each has a name, replicas and \
         a module, and if need be select (labels of its nodes) and paused. What kube get deployments -o \
         yaml writes is one too.";
    ROLLOUT_STALLED = "kube::rollout::stalled", Failed,
        "The rollout has taken no step for the plane's deadline of a minute. The pods that do not run are \
         named with the reasons that their nodes give; pods that run before are left alone. kube rollout \
         undo goes back.";
    ROLLOUT_TIMEOUT = "kube::rollout::timeout", TimedOut,
        "The rollout was not over within the time given by --timeout; it goes on. The pods that did not \
         run by then are named with the reasons that their nodes give.";
    DRAIN_TIMEOUT = "kube::drain::timeout", TimedOut,
        "The node still has pods: a pod leaves it only when all others of its set run and another node \
         has room for it. The drain goes on.";
    AIR_KEY = "kube::air::key", Refused,
        "Commands over the air are taken only from whoever has the operator's key, and only by machines whose \
         image knows it: operator-key in the table cluster of the fleet, best in fleet.local.toml.";
    BACKUP_FILE = "kube::backup::file", Failed,
        "The file is no whole backup of this version: cut short, changed, or something else. Nothing was \
         changed on the machine.";
    BACKUP_CLUSTER = "kube::backup::cluster", Refused,
        "The backup is of another cluster than the machine. Its nodes would be told to stop what they run.";
    BACKUP_KEYS = "kube::backup::keys", Failed,
        "A backup is encrypted with age, for recipients (age1...), and opens with the identity of one of \
         them (AGE-SECRET-KEY-1...), as age-keygen makes them. A file that was changed does not open.";
    KEY_THERE = "kube::key::there", Refused,
        "A key is not overwritten: machines that have it would no longer be understood.";
    KEY_FILE = "kube::key::file", Failed,
        "A key file holds up to 16 hexadecimal digits that are not all zero, and nothing else.";
    AIR_NEEDED = "kube::air::needed", Usage,
        "There is neither a plane to ask nor a source to hear. Name a source, such as --source udp:HOST for \
         a relay, sim: for a lab or usb: for a receiver, or a board.";
}
