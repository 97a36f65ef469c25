"""The slips that `lmlir check` names, and how the reference answers with each of them."""
