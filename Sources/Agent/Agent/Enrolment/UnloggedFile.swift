// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Study
import SystemKit

/// A file among the recordings that the log does not know, and what the log says of it once `HandOver` has
/// deleted it.
struct UnloggedFile: Sendable {
    let path: String
    /// Paths of its descriptions.
    private(set) var beside: [String] = []
    let rows: [StudyEvent]

    /// `names` are those in the folder but for what the log knows; `numbers` are of recordings that it knows.
    static func all(_ names: [String], in folder: String, besides numbers: Set<Int>) -> [UnloggedFile] {
        var (files, taken): ([UnloggedFile], Set<Int>) = ([], numbers)
        // The description of a sealed file comes before that of an open one, which it replaces.
        for name in names.sorted() {
            guard let number = RecordingName(name)?.number,
                let file = UnloggedFile(describedBy: name, number, in: folder, besides: numbers)
            else { continue }
            if let twin = files.firstIndex(where: { $0.beside[0].dropLast(5) == file.beside[0].dropLast(5) }) {
                files[twin].beside += [file.path] + file.beside
            } else if taken.insert(number).inserted {
                files.append(file)
            }
        }
        let claimed = Set(files.flatMap { [$0.path] + $0.beside })
        return files + names.filter { !claimed.contains("\(folder)/\($0)") }.map { UnloggedFile(named: $0, in: folder) }
    }

    /// Nil where that is not the description of a recording that the log lacks. The recording itself may be gone.
    private init?(describedBy name: String, _ number: Int, in folder: String, besides numbers: Set<Int>) {
        guard name.hasSuffix(".json") || name.hasSuffix(".open"), !numbers.contains(number),
            let json = try? BoundedFile.read("\(folder)/\(name)"),
            var description = try? RecordingDescription(json: json, path: name)
        else { return nil }
        let (whole, partial) = (description.relativePath, description.partialName)
        guard !whole.isEmpty, !whole.contains("/") else { return nil }
        let names = description.state == .sealed ? [whole, partial] : [partial, whole]
        let file = names.first { access("\(folder)/\($0)", F_OK) == 0 } ?? names[0]
        // By it the file is found where the power goes before it is deleted.
        description.relativePath = file
        (path, beside) = ("\(folder)/\(file)", ["\(folder)/\(name)"])
        if description.sha256.isEmpty, let content = try? File(path, .read) {
            description.sha256 = (try? FileDigest.sha256(of: content)) ?? ""
            description.bytes = Int(clamping: Self.size(of: path))
        }
        let sealed = SealedRecording(number: number, path: path, descriptionPath: beside[0], description: description)
        let registration = RecordingRegistration(
            routes: DeliveryRoutes(), participant: nil, study: nil, enrolment: nil)
        rows =
            registration.commit([sealed]).events
            + [.recordingRemoved(recording: RecordingRegistration.id(sealed), reason: .byHand)]
    }

    private init(named name: String, in folder: String) {
        path = "\(folder)/\(name)"
        let size = ByteText.of(Self.size(of: path))
        let message = "\(name) (\(size)), which the log did not know, was deleted at a hand-over"
        rows = [.fault(place: "recordings", message: message)]
    }

    /// 0 where it is not there.
    private static func size(of path: String) -> Int64 {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
