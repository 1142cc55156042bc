// SPDX-License-Identifier: Apache-2.0
import Base

/// What can be taken from the page: its tables, and how the dataset is made.
///
/// A dataset is gigabytes, may be refused for what is missing, and is continued where it ended: a
/// command writes it, not a browser.
struct Downloads {
    let query: LabQuery
    /// The server's, as it was named at its start.
    let folder: String

    var html: HTML {
        let tables = LabTables.names.map { name -> HTML in
            """
            <li>\(name) <a href="\(query.address("/tables/\(name).csv"))" aria-label="\(name) as CSV">CSV</a> <a href="\(
            query.address("/tables/\(name).json"))" aria-label="\(name) as JSON">JSON</a>
            """
        }
        return """
            <h3>Download</h3><ul class="facts">\(tables)</ul>
            <p>The dataset, with recordings, codebook and what is missing, is written by this command on this server:</p>
            <pre tabindex="0">\(command)</pre>
            """
    }

    private var command: String {
        var words = ["study-receiver", "export", "--data", folder, "-o", "dataset"]
        if let study = query.study { words += ["--study", study] }
        if let user = query.user { words += ["--participant", user] }
        return words.map(Self.quoted).joined(separator: " ")
    }

    /// As a shell takes it for one word.
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "-_./=:@%+,".utf8.contains(byte)
        }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
