// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands
import Glibc
import SystemKit

/// `studyd udev`: opens to the agent the devices that a board names, and no others.
struct UdevCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "udev", abstract: "Write udev rules for exactly the devices named by a board.",
        discussion: """
            Without --into the rules are printed. With --into / they replace the shipped rules, which give access to whole classes of
            devices, and the service and its user lose those groups. Rules of studyd under another name are masked, or named where they
            are the administrator's own.
            Example: studyd udev --board /usr/share/studyd/boards/breadboard.toml --into /
            """)

    @OptionGroup var board: BoardOptions
    @OptionGroup var unused: UnusedOptions
    @Option(
        name: .long,
        help:
            "Write etc/udev/rules.d/70-studyd.rules, etc/sysusers.d/studyd.conf and a unit drop-in below this folder."
    )
    var into: String?

    func run() throws {
        let description = try board.description()
        guard into == nil || !description.isSimulated else {
            throw ValidationError(
                "the board '\(description.name)' has no devices that could be opened; name the one that was built with --board"
            )
        }
        let access = try BoardAccess(description, resolve: BoardAccess.present)
        for remark in access.remarks { Output.remark("studyd: WARNING \(remark)") }
        guard let into else { return Output.text(access.rules) }
        let root = into.hasSuffix("/") ? into : into + "/"
        let files = [
            ("etc/udev/rules.d/70-studyd.rules", access.rules), ("etc/sysusers.d/studyd.conf", BoardAccess.users),
            ("etc/systemd/system/studyd.service.d/board.conf", access.unit),
        ]
        for (name, text) in files {
            try Self.makeFolders(of: name, in: root)
            try AtomicFile.write(Array(text.utf8), toNamed: root + name)
            // Readable whatever the umask: other programs read these files, and nothing in them is secret.
            chmod(root + name, 0o644)
            Output.remark("studyd: wrote \(root + name)")
        }
        try Self.mask(in: root)
        Output.remark(
            """
            Now, as root: for group in gpio i2c audio dialout input video; do gpasswd --delete studyd $group; done
            udevadm control --reload; udevadm trigger --settle; systemctl daemon-reload; systemctl restart studyd
            """)
    }

    /// A file in /etc replaces only that of the same name (udev(7)): what a package shipped under
    /// another name would go on giving away whole classes of devices.
    private static func mask(in root: String) throws {
        let own = root + "etc/udev/rules.d/"
        for folder in ["usr/lib", "lib", "usr/local/lib", "run"] {
            for name in FolderListing.readable("\(root)\(folder)/udev/rules.d") where BoardAccess.isOther(name) {
                if symlink("/dev/null", own + name) == 0 {
                    Output.remark("studyd: masked \(root)\(folder)/udev/rules.d/\(name) by \(own + name)")
                } else if errno != EEXIST {
                    throw FileError.last(own + name)
                }
            }
        }
        for name in FolderListing.readable(own) where BoardAccess.isOther(name) && access(own + name, R_OK) == 0 {
            guard Resource.absolute(own + name) != "/dev/null" else { continue }
            Output.remark("studyd: WARNING \(own + name) also gives access to devices; remove it")
        }
    }

    private static func makeFolders(of name: String, in root: String) throws {
        var path = root
        for part in name.split(separator: "/").dropLast() {
            path += part
            guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
                throw FileError(
                    path: path,
                    message:
                        "cannot be created: \(String(cString: strerror(errno))); run as root, or use another folder")
            }
            path += "/"
        }
    }
}
