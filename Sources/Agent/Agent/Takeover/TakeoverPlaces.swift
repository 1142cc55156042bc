// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// The files of the system that a takeover reads and writes, and what they say. Made by `studyd takeover`, and by
/// `studyd check` for `cloudInit`. `root` comes before the system's own paths; it is empty except in tests.
package struct TakeoverPlaces: Sendable, Hashable {
    private let root: String
    /// Path of the configuration file.
    package let configuration: String
    /// Path of the state folder.
    package let state: String

    package init(configuration: String, state: String) {
        self.init(root: "", configuration: configuration, state: state)
    }

    init(root: String, configuration: String, state: String) {
        self.root = root
        self.configuration = configuration
        self.state = state
    }

    /// The folder of systemd's credentials, which only root may enter (systemd.exec(5)).
    var credentials: String { root + "/etc/credstore" }
    /// The file that says what is left for `studyd-takeover-finish.service` to do (`TakeoverRest`).
    package var rest: String { credentials + "/studyd.takeover" }
    /// The drop-in of the unit that gives the agent its credentials.
    var dropIn: String { root + "/etc/systemd/system/studyd.service.d/credentials.conf" }
    var deviceKey: String { state + "/device.key" }
    /// Where a board file that came with the folder is put.
    var boardFolder: String { AtomicFile.folder(of: configuration) }
    /// The green LED on a Raspberry Pi, under its newer and older name.
    var systemLights: [String] { ["ACT", "led0"].map { root + "/sys/class/leds/" + $0 } }

    func device(_ path: String) -> String { root + path }

    /// The participant according to the log, else the one who is to be enrolled; nil = neither. Throws where
    /// that cannot be known now. Writes nothing.
    func participation() throws(TakeoverMistake) -> TakeoverFacts.Participation? {
        if let latest = try enrolment() {
            return .init(
                participant: latest.record.participant, study: latest.record.studyID, hasLeft: latest.hasLeft)
        }
        guard let left = TakeoverRest.read(rest), left.refusal == nil, let request = left.request else { return nil }
        return .init(participant: request.participant ?? "", study: nil)
    }

    /// From the log, else from the copy beside it (`EnrolmentBackup`).
    private func enrolment() throws(TakeoverMistake) -> (record: EnrolmentRecord, hasLeft: Bool)? {
        let path = state + "/studyd.sqlite"
        let kept = EnrolmentBackup(at: state).read().map { (record: $0, hasLeft: false) }
        guard access(path, F_OK) == 0 else { return kept }
        do { return try ReadOnlyLog(path).latestEnrolment() ?? kept } catch {
            guard kept == nil else { return kept }
            throw TakeoverMistake(
                .failed, "It cannot be read now whether the device has a participant: \(error)",
                remedy: "switch the device off and on again; if this stays, send this file to the study team")
        }
    }

    // MARK: - Network

    /// Whether there is a wired interface, or a Wi-Fi is set up in the files of netplan, NetworkManager or
    /// wpa_supplicant. `networkFile` is the text of cloud-init's `network-config` in `folder`: it counts where
    /// cloud-init will still read it at this boot.
    func hasNetwork(networkFile: String?, in folder: String) -> Bool {
        if FolderListing.readable(root + "/sys/class/net").contains(where: isWired) { return true }
        let unread = readsNetworkFile(in: folder) ? networkFile : nil
        return Self.isNamed("access-points:", in: [unread ?? ""] + texts(in: "/etc/netplan"))
            || Self.isNamed("type=wifi", in: texts(in: "/etc/NetworkManager/system-connections"))
            || Self.isNamed("type=wifi", in: texts(in: "/run/NetworkManager/system-connections"))
            || Self.isNamed("ssid=", in: texts(in: "/etc/wpa_supplicant"))
    }

    /// Whether `networkFile`, the text of the `network-config` in `folder`, names a Wi-Fi in vain, since cloud-init
    /// does not read that file.
    func isUnused(networkFile: String?, in folder: String) -> Bool {
        !readsNetworkFile(in: folder) && Self.isNamed("access-points:", in: [networkFile ?? ""])
    }

    /// The name of the Wi-Fi in a `network-config` that studyd wrote, where cloud-init does not read the file and
    /// the system has no Wi-Fi of that name; else nil.
    func ignoredWiFi(networkFile: String?, in folder: String) -> String? {
        guard !readsNetworkFile(in: folder), let name = networkFile.flatMap({ WiFiFile.name(in: $0) }) else {
            return nil
        }
        let known = [
            "/etc/netplan", "/etc/NetworkManager/system-connections", "/run/NetworkManager/system-connections",
            "/etc/wpa_supplicant",
        ].flatMap { texts(in: $0) }
        let isKnown = known.contains { text in
            text.split(whereSeparator: \.isNewline).contains { line in
                let words = line.filter { $0 != "\"" && $0 != "'" }.drop { $0.isWhitespace }
                return words == "ssid=" + name || words == name + ":"
            }
        }
        return isKnown ? nil : name
    }

    /// Whether cloud-init reads the `network-config` of this folder at this boot: it reads that of the boot partition,
    /// and only at the first boot with an `instance-id`, which stays the same unless `meta-data` on the boot partition
    /// names another. `boot-finished` is removed early in a boot; `previous-instance-id` then has the id of the boot
    /// before.
    func readsNetworkFile(in folder: String) -> Bool {
        guard folder == boot, cloudInit(boot: boot).runs,
            access(root + "/var/lib/cloud/instance/boot-finished", F_OK) != 0
        else {
            return false
        }
        let data = root + "/var/lib/cloud/data/"
        guard let previous = try? BoundedFile.text(data + "previous-instance-id") else { return true }
        return previous != (try? BoundedFile.text(data + "instance-id"))
    }

    /// A real device (not a bridge, not the loopback) that is not Wi-Fi.
    private func isWired(_ name: String) -> Bool {
        let folder = root + "/sys/class/net/" + name
        return access(folder + "/device", F_OK) == 0 && access(folder + "/phy80211", F_OK) != 0
            && access(folder + "/wireless", F_OK) != 0
    }

    private func texts(in folder: String) -> [String] {
        FolderListing.readable(root + folder).compactMap { try? BoundedFile.text(root + folder + "/" + $0) }
    }

    /// Whether a line that is no comment contains the word.
    private static func isNamed(_ word: String, in texts: [String]) -> Bool {
        texts.contains { text in
            text.split(whereSeparator: \.isNewline).contains { line in
                let line = line.drop { $0.isWhitespace }
                return !line.hasPrefix("#") && line.contains(word)
            }
        }
    }

    // MARK: - cloud-init

    /// The state of cloud-init, from what its own systemd generator looks at: a file, and the kernel's
    /// command line.
    package func cloudInit(boot: String) -> CloudInit {
        let isThere = access(root + "/usr/bin/cloud-init", X_OK) == 0
        let isOff = access(cloudInitSwitch, F_OK) == 0
        let line = (try? BoundedFile.text(root + "/proc/cmdline")) ?? ""
        return CloudInit(
            runs: isThere && !isOff && !line.contains("cloud-init=disabled"),
            hasFinished: access(root + "/var/lib/cloud/instance/boot-finished", F_OK) == 0,
            userData: try? BoundedFile.text(boot + "/user-data"))
    }

    /// The file whose presence switches cloud-init off from the next boot on.
    package var cloudInitSwitch: String { root + "/etc/cloud/cloud-init.disabled" }

    /// The partition from which a Raspberry Pi boots.
    package var boot: String { root + "/boot/firmware" }

    /// Once cloud-init has finished a boot, wipes a `network-config` that studyd wrote: it holds the Wi-Fi's password,
    /// which cloud-init has handed on by then. Switches cloud-init off from the next boot on, unless `user-data` needs
    /// it; what it has set up stays. False where it has not finished yet.
    func endCloudInit() throws -> Bool {
        let cloudInit = cloudInit(boot: boot)
        guard cloudInit.runs else { return true }
        guard cloudInit.hasFinished else { return false }
        if cloudInit.verdict == .removable { try AtomicFile.write([], to: cloudInitSwitch) }
        try WiFiFile.wipe(boot + "/network-config")
        return true
    }
}
