// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import Glibc
import SystemKit

/// `--data` of the commands that work on a server's folder, which may be running.
struct DataFolderOption: ParsableArguments {
    @Option(help: ArgumentHelp("Data folder of the server.", valueName: "dir"))
    var data = "receiver-data"

    func check() throws {
        try LabFile.checkAccess(to: data)
        guard access(data, F_OK) == 0 else {
            throw FileError(path: data, message: "is not there", remedy: "name the server's folder by --data")
        }
    }

    func open() throws -> DeviceKeys {
        try check()
        return try DeviceKeys(.file("\(data)/devices.sqlite"))
    }

    func register() throws -> LabRegister { try LabRegister(.file("\(data)/lab.sqlite")) }

    /// Throws where one of them was erased.
    func checkOpen(_ participants: [String]) async throws {
        let register = try register()
        for participant in participants {
            if let closed = try await register.whyClosed(participant) { throw CommandError(closed) }
        }
    }

    /// Notes for the page what this command has changed.
    func log(_ kind: LabRegister.Change.Kind, _ participant: String, _ what: String) async throws {
        try await register().log(kind, participant, after: what, by: "command", at: SystemClock().now)
    }
}
