// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Glibc
import SystemKit

/// Files that come with the program (boards, studies), found by commands: in the source tree, or installed
/// beside it.
package enum Resource {
    /// A path as it was typed. One that begins with `boards/` or `studies/` and does not exist here
    /// is the program's own file, so that the commands of the documentation work from any folder.
    package static func named(_ path: String) -> String {
        guard access(path, F_OK) != 0, path.hasPrefix("boards/") || path.hasPrefix("studies/") else { return path }
        return (try? Self.path(path)) ?? path
    }

    /// The boards that come with the program, by name.
    package static var boards: [String] {
        guard let one = try? path("boards/simulated.toml"), let slash = one.lastIndex(of: "/") else { return [] }
        return FolderListing.readable(String(one[..<slash])).filter { $0.hasSuffix(".toml") }.map {
            String($0.dropLast(5))
        }
    }

    /// The path of a board as it was typed: the name of one that comes with the program, or a file, which `path` finds.
    package static func board(_ typed: String, path: (String) -> String = Resource.named) throws -> String {
        let boards = self.boards
        if boards.contains(typed) { return try Self.path("boards/\(typed).toml") }
        let file = path(typed)
        guard access(file, F_OK) != 0, errno == ENOENT else { return file }
        let near = Misspelling.nearest(typed, in: boards).map { "did you mean '\($0)'? Write" } ?? "write"
        throw FileError(
            path: typed, message: "there is no such board",
            remedy: "\(near) \(BoardDescription.choice(of: boards, or: "the path of a file"))")
    }

    /// A path that a file names: a relative one is relative to the file's folder.
    package static func path(_ path: String, namedIn file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }

    /// The path from the root on, without links; nil where nothing is there.
    package static func absolute(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// Looks in the working folder, then from the executable's folder upwards, each with its `share/studyd`.
    package static func path(_ name: String) throws -> String {
        let executable = (try? ExecutablePath.current()) ?? ""
        var folders = ["."]
        var folder = executable
        while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
            folder = String(folder[..<slash])
            folders += [folder, folder + "/share/studyd"]
        }
        let places: [String] = folders.map { $0 + "/" + name }
        guard let found = places.first(where: { (place: String) in access(place, R_OK) == 0 }) else {
            let option =
                name.hasPrefix("boards/")
                ? "use --board FILE"
                : name.hasSuffix(".nmea")
                    ? "name a receiver's log as 'nmea' in [world] of the board file"
                    : "name a study on the command line"
            throw FileError(
                path: name, message: "not found here or beside the program",
                remedy: "\(option), or run studyd from the source folder")
        }
        return found
    }
}
