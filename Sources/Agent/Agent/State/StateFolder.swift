// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Where the agent keeps things: `studyd.sqlite`, `recordings/`, `media/`, `speech/`, `results/`
/// and the control socket. `AgentRuntime` makes one, and each command that opens the store (`StoreAccess`).
package struct StateFolder: Sendable {
    package let path: String
    /// The SQLite file: event log, outbox and what is derived from them.
    package var database: String { path + "/studyd.sqlite" }
    /// The folder of recordings, open and sealed.
    package var recordings: String { path + "/recordings" }
    /// The folder of a study's sounds, fetched at enrolment.
    package var media: String { path + "/media" }
    /// The folder of spoken texts, WAV.
    package var speech: String { path + "/speech" }
    package var results: String { path + "/results" }
    /// What the watchdog remembers over a restart.
    package var restart: String { path + "/restart" }
    /// The copy of the enrolment that outlives a lost store (`EnrolmentBackup`).
    package var enrolment: String { Self.enrolment(in: path) }
    /// The file that is there while a study's server enrols (`JoinNote`).
    var joining: String { path + "/joining" }
    /// The key by which the lab's receiver knows this device.
    var deviceKey: String { path + "/device.key" }
    /// The device's own secret key (`EncryptionKey`).
    package var encryptionKey: String { path + "/seal.key" }
    /// The agent's lock: its holder is the one agent of this folder.
    package var lock: String { path + "/lock" }
    /// The control socket, by which commands reach the agent.
    package var socket: String { Self.socket(in: path) }

    /// The folder at `path`, made where it is not there; its parent must be.
    package init(_ path: String) throws {
        guard mkdir(path, 0o750) == 0 || errno == EEXIST else {
            throw FileError(
                path: path, message: String(cString: strerror(errno)),
                remedy: "create it, or use another with --state")
        }
        self.init(at: path)
    }

    /// The folder at `path`, for what must not make a store. Throws where there is none.
    package init(withStore path: String) throws {
        let files = StoreFiles(path + "/studyd.sqlite")
        guard files.kind != .missing || files.hasLeftovers else {
            throw FileError(
                path: path, message: "there is no store here",
                remedy:
                    "check the path of the state folder; 'studyd enroll' makes a store, and the agent when it starts")
        }
        self.init(at: path)
    }

    private init(at path: String) {
        // Whatever is made from now on is for the agent and its group, however it was started.
        umask(umask(0o027) | 0o027)
        self.path = path
    }

    /// That of the folder at `path`, which need not exist.
    package static func socket(in path: String) -> String { path + "/control.sock" }

    static func enrolment(in path: String) -> String { path + "/enrolment" }

    /// Path of the file that says how far reports to the lab have come.
    static func reportMemory(in path: String) -> String { path + "/report" }

    /// Path of the file of the studies in which a broker shows the device (`LiveMemory`).
    static func liveMemory(in path: String) -> String { path + "/live" }

    /// Moves a folder out of the lock's place. To be called before the lock is taken, `clearPlaces` after it.
    func clearLock() -> [Explanation] { [moveAside(lock, isFolder: false)].compactMap(\.self) }

    /// Moves files of another kind out of our places, to a name beside them: a file where a folder
    /// belongs, a folder where a file belongs. Returns what was moved; what cannot be moved is
    /// reported when the place is used.
    func clearPlaces() -> [Explanation] {
        let folders = [recordings, media, speech, results, path + "/damaged"]
        let files = [
            socket, restart, enrolment, joining, deviceKey, encryptionKey, Self.reportMemory(in: path),
            path + "/studyd.head", path + "/reserve", path + "/alive", Self.liveMemory(in: path),
        ]
        return folders.compactMap { moveAside($0, isFolder: true) }
            + files.compactMap { moveAside($0, isFolder: false) }
    }

    private func moveAside(_ place: String, isFolder: Bool) -> Explanation? {
        var (own, target) = (stat(), stat())
        guard lstat(place, &own) == 0 else { return nil }
        // A folder may lie elsewhere, behind a link.
        let isRight =
            isFolder
            ? stat(place, &target) == 0 && target.st_mode & S_IFMT == S_IFDIR : own.st_mode & S_IFMT != S_IFDIR
        guard !isRight else { return nil }
        let names = (1...99).map { number in place + ".aside-" + String(number) }
        let free = names.first { (name: String) in access(name, F_OK) != 0 }
        guard let free, rename(place, free) == 0 else { return nil }
        let (kind, belongs) = isFolder ? ("not a folder", "a folder") : ("a folder", "something else")
        return Explanation(
            place: place, cause: "was \(kind), where studyd keeps \(belongs); it was moved to \(free)",
            remedy: "look at it, and remove it if it is not needed")
    }
}
