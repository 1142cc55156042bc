// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The recordings meant by names of files and folders: a folder means the recordings in it, and a description
/// its file. For `studyd recordings` and `studyd-tools features`.
package enum RecordingSelection {
    /// Endings by which a file in a folder counts as a recording where its name is not ours.
    private static let endings = [".cwa", ".flac", ".nmea", ".csv", ".csv.gz", ".nmea.gz", ".age"]

    /// Files in the order in which they were named, those of a folder by name; each once.
    /// Descriptions of files that are named too are left out; one without its file stays, and is a
    /// problem.
    package static func files(_ paths: [String]) throws(FileError) -> [String] {
        let found = try all(paths)
        let named = Set(found)
        let index = RecordingFileIndex()
        var seen: Set<String> = []
        return found.filter { path in
            guard seen.insert(path).inserted else { return false }
            guard let file = described(by: path, index) else { return true }
            return !named.contains(file)
        }
    }

    /// The same with every description.
    package static func all(_ paths: [String]) throws(FileError) -> [String] {
        var found: [String] = []
        for path in paths { found += try File.isFolder(path) ? inside(path) : [path] }
        return found
    }

    private static func inside(_ folder: String) throws(FileError) -> [String] {
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        let names: [String]
        do throws(FolderListing.Failure) {
            names = try FolderListing.names(in: folder) { name in
                RecordingName(RecordingFileIndex.originalName(of: name)) != nil
                    || endings.contains(where: name.hasSuffix)
            }
        } catch { throw FileError(operation: "list", path: folder, code: error.code) }
        guard !names.isEmpty else { throw .format(path: folder, problem: "contains no recordings") }
        return names.map { start + $0 }
    }

    /// The file beside it that a description is of; nil for what is no description, or one
    /// that cannot be read.
    private static func described(by path: String, _ index: RecordingFileIndex) -> String? {
        let name = RecordingFileIndex.originalName(of: path)
        guard let ours = RecordingName(name), name == ours.description || name == ours.draft,
            let description = RecordingFileIndex.read(path)
        else { return nil }
        return index.file(of: description, at: path)
    }
}
