// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Writes the files of a BIDS dataset, which come in pairs: a table, and the JSON that describes it.
struct BIDSFolder {
    let folder: DatasetFolder

    func write(_ name: String, _ text: String) throws { try folder.write(text, to: name) }
    func write(_ name: String, _ json: JSONText) throws { try write(name, json.indentedText) }

    /// Keeps a table of an earlier export if the JSON beside it, which names the recording that the table is
    /// made of, would be the same; both are then noted as files of this export. Returns whether they are kept.
    func keepIfUnchanged(_ name: String, describedBy sidecar: String, as json: JSONText) throws -> Bool {
        let digest = try DigestStream()
        try digest.update(Array(json.indentedText.utf8))
        guard let table = folder.unchanged(name), let earlier = folder.unchanged(sidecar),
            earlier.sha256 == (try digest.finish().hexadecimal)
        else { return false }
        try folder.note(name, table, isNew: false)
        try folder.note(sidecar, earlier, isNew: false)
        return true
    }

    /// The path that a table will have, and what an earlier export wrote there.
    func place(of name: String) -> (path: String, earlier: DatasetFolder.Entry?) {
        ("\(folder.path)/\(name)", folder.unchanged(name))
    }
}
