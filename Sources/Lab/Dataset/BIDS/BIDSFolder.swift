// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Writes the files of a BIDS dataset, which come in pairs: a table, and the JSON that describes it.
struct BIDSFolder {
    let folder: DatasetFolder

    func write(_ name: String, _ text: String) throws { try folder.write(text, to: name) }
    func write(_ name: String, _ json: JSONText) throws { try write(name, json.indentedText) }

    /// Whether a table is there already, and the JSON beside it, which names the recording that it is
    /// made of, would be the same. If so, both stay.
    func keeps(_ name: String, describedBy sidecar: String, as json: JSONText) throws -> Bool {
        let digest = try DigestStream()
        try digest.update(Array(json.indentedText.utf8))
        guard let table = folder.unchanged(name), let said = folder.unchanged(sidecar),
            said.sha256 == (try digest.finish().hexadecimal)
        else { return false }
        try folder.note(name, table, isNew: false)
        try folder.note(sidecar, said, isNew: false)
        return true
    }

    /// Where a table is to lie, and what an earlier export wrote there.
    func place(of name: String) -> (path: String, earlier: DatasetFolder.Entry?) {
        ("\(folder.path)/\(name)", folder.unchanged(name))
    }
}
