// Patterns of tensors' names.
#include "runtime/checkpoint/NameSelection.h"
#include "runtime/checkpoint/ConversionPlan.h"
#include "tests/unit/runtime/Failure.h"

using namespace mxc;
using Catch::Contains;

TEST_CASE("patterns: stars take dots, and everything else is itself") {
  CHECK(matchesPattern("*.weight", "model.layers.0.mlp.up_proj.weight"));
  CHECK(matchesPattern("*", ""));
  CHECK(matchesPattern("a?c", "abc"));
  CHECK(matchesPattern("layers[0].*", "layers[0].x"));
  CHECK(matchesPattern("*a*b?", "xaabab!"));
  CHECK(matchesPattern("**", "x"));
  CHECK(matchesPattern(R"(a\b)", R"(a\b)"));
  CHECK_FALSE(matchesPattern("layers.[0-4].*", "layers.3.x"));
  CHECK_FALSE(matchesPattern("*a*b?", "xaabab"));
  CHECK_FALSE(matchesPattern("*.weight", "x.weight_scale"));
  CHECK_FALSE(matchesPattern("a?c", "ac"));
  CHECK_FALSE(matchesPattern("x", "X"));
  CHECK_FALSE(matchesPattern("", "x"));
}

TEST_CASE("selections: only less except; a pattern of no use is a mistake") {
  const NameSelection selection{{"a.*", "b"}, {"*.c"}};
  CHECK(selection.selects("a.b"));
  CHECK(selection.selects("b"));
  CHECK_FALSE(selection.selects("a.c"));
  CHECK_FALSE(selection.selects("c"));
  CHECK_FALSE(NameSelection{}.selects("a"));
  const std::vector<std::string> names = {"a.b", "b"};
  CHECK_THAT(invalidInput([&] { selection.checkUsed(names, "file"); }),
             Contains("file: the pattern '*.c' (--except) matches no weight"));
}

TEST_CASE("selections: by default, what a model's linear layers have") {
  const NameSelection selection = linearWeights();
  for (const char *name :
       {"model.layers.0.self_attn.q_proj.weight", "model.layers.3.mlp.gate_proj.weight",
        "model.layers.3.mlp.experts.7.w1.weight", "model.layers.0.mlp.shared_expert.up_proj.weight"})
    CHECK(selection.selects(name));
  for (const char *name :
       {"model.embed_tokens.weight", "lm_head.weight", "model.norm.weight", "model.layers.3.mlp.gate.weight",
        "model.layers.3.mlp.shared_expert_gate.weight", "model.layers.0.block_sparse_moe.router.weight",
        "model.layers.0.self_attn.q_proj.bias"})
    CHECK_FALSE(selection.selects(name));
}

TEST_CASE("weights that are multiplied as one have one name") {
  CHECK(fusedModule("l.0.q_proj") == fusedModule("l.0.v_proj"));
  CHECK(fusedModule("l.0.gate_proj") == fusedModule("l.0.up_proj"));
  CHECK(fusedModule("w1") == fusedModule("w3"));
  CHECK(fusedModule("l.0.q_proj") != fusedModule("l.1.q_proj"));
  CHECK(fusedModule("l.0.q_proj") != fusedModule("l.0.up_proj"));
  CHECK(fusedModule("l.0.down_proj") == "l.0.down_proj");
  CHECK(fusedModule("l.0.w2") == "l.0.w2");
  for (const auto &[one, other] :
       std::vector<std::pair<std::string, std::string>>{{"l.wq", "l.wk"},
                                                        {"t.to_q", "t.to_v"},
                                                        {"t.add_q_proj", "t.add_k_proj"},
                                                        {"b.query", "b.value"},
                                                        {"l.in_proj_qkv", "l.in_proj_z"},
                                                        {"l.in_proj_b", "l.in_proj_a"},
                                                        {"l.q_a_proj", "l.kv_a_proj_with_mqa"},
                                                        {"l.ffn_gate", "l.ffn_up"}})
    CHECK(fusedModule(one) == fusedModule(other));
  for (const auto &[one, other] : std::vector<std::pair<std::string, std::string>>{
           {"l.to_q", "l.q_proj"}, {"l.to_q", "l.add_to_q"}, {"l.q_a_proj", "l.q_b_proj"}, {"l.wo", "l.wq"}})
    CHECK(fusedModule(one) != fusedModule(other));
  CHECK(fusedModule("l.gate_up_proj") == "l.gate_up_proj");
  const std::vector<FusedSet> more = {{"one", "deep.two"}};
  CHECK(fusedModule("l.one", more) == fusedModule("l.deep.two", more));
  CHECK(fusedModule("l.two", more) == "l.two");
}
