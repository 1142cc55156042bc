// SPDX-License-Identifier: Apache-2.0

/// What the pages hide of one participant in a study with rules: `LabBlinding` makes it, `ShownPosts` asks it
/// of each post.
package struct HiddenPosts: Sendable {
    private let tasks: Set<String>
    private let link: PromptLink
    private let codebook: Codebook

    init(_ tasks: Set<String>, _ link: PromptLink, _ codebook: Codebook) {
        (self.tasks, self.link, self.codebook) = (tasks, link, codebook)
    }

    /// Whether a post of this answer is hidden; nil is a post of the app's log, which tells what was done with prompts.
    package func holds(_ submission: StudySubmission?) -> Bool {
        guard let submission else { return true }
        var linked = [submission]
        link.link(&linked)
        return linked.contains { $0.mayTellOfRules(tasks, codebook) }
    }
}
